// SPDX-License-Identifier: MIT
/// A picture, or a sequence of pictures, as plain pixels: the input and output of coders and transformers.
///
/// Every frame has the same size and is complete: it does not depend on the frame before. Pixels are RGBA, 8 bits a
/// channel, premultiplied by alpha, interpreted as sRGB, rows top down without padding. The picture is upright: an EXIF
/// orientation was applied. A copy shares its pixels.
///
/// The frames of an animation are in memory, or made by a ``FrameSource`` when they are asked for.
public struct DecodedImage: Sendable {
    /// One picture of a sequence.
    public struct Frame: Sendable {
        /// RGBA, 8 bits a channel, premultiplied; `width * 4` bytes a row, top down.
        public let pixels: [UInt8]
        /// How long the frame is shown; `.zero` in a still picture.
        public let duration: Duration

        /// Creates a frame.
        ///
        /// - Parameters:
        ///   - pixels: RGBA, 8 bits a channel, premultiplied, rows top down without padding.
        ///   - duration: How long the frame is shown.
        public init(pixels: [UInt8], duration: Duration = .zero) {
            self.pixels = pixels
            self.duration = duration
        }
    }

    /// Where the frames are.
    enum Content: Sendable {
        /// All in memory, at least one.
        case held([Frame])
        /// Made by the source, a ``FrameBuffer`` that all copies share; the pixels of the first one are in memory unless
        /// they were released. Indirect, so that a copy of a still picture costs one reference.
        indirect case onDemand([UInt8]?, any FrameSource)
    }

    /// Width in pixels, at least 1.
    public let width: Int
    /// Height in pixels, at least 1.
    public let height: Int
    /// How often an animation is played, from its file; 0 means forever.
    ///
    /// 0 in a still picture.
    public let loopCount: Int
    /// Whether a pixel may be transparent.
    ///
    /// `false` promises that every alpha is 255.
    public let hasAlpha: Bool
    /// What is wrong with the file that the picture was decoded from; empty when nothing is known.
    public package(set) var damage: ImageDamage
    /// The number of pixels to a point of a screen: 2 for a picture named `@2x`. 1 unless the caller says otherwise.
    public var scale = 1.0
    /// Whether a decoder has made the colours sRGB already; for ``ImageCoders`` alone.
    var isConverted = false
    let content: Content
    /// Behind a reference, because most pictures have none and all are copied often.
    private var kept: KeptMetadata?

    /// Creates a picture from frames.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: The frames, each of `width * height * 4` bytes.
    ///   - loopCount: How often an animation is played; 0 means forever.
    ///   - hasAlpha: Whether a pixel may be transparent.
    ///   - damage: What is wrong with the file that the picture was decoded from.
    /// - Throws: `.invalidRequest` without frames, for a side below 1, or when a frame has another number of bytes.
    public init(
        width: Int, height: Int, frames: [Frame], loopCount: Int = 0, hasAlpha: Bool, damage: ImageDamage = []
    ) throws(ImageError) {
        let size = PixelSize(width: width, height: height)
        try DecodedImage.check(size, loopCount, frames.map(\.pixels.count))
        self.init(size, .held(frames), loopCount: loopCount, hasAlpha: hasAlpha, damage: damage)
    }

    /// Creates an animation whose frames are made when they are asked for.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - firstFrame: The pixels of the first frame, of `width * height * 4` bytes.
    ///   - source: Makes the frames, all of the same size. Nothing of it is called here but its durations.
    ///   - loopCount: How often an animation is played; 0 means forever.
    ///   - hasAlpha: Whether a pixel of any frame may be transparent.
    ///   - damage: What is wrong with the file that the picture was decoded from.
    /// - Throws: `.invalidRequest` for a source without frames, for a side below 1, or when the first frame has another
    ///   number of bytes.
    public init(
        width: Int, height: Int, firstFrame: [UInt8], source: any FrameSource, loopCount: Int = 0, hasAlpha: Bool,
        damage: ImageDamage = []
    ) throws(ImageError) {
        let size = PixelSize(width: width, height: height)
        try DecodedImage.check(size, loopCount, source.durations.isEmpty ? [] : [firstFrame.count])
        self.init(size, .onDemand(firstFrame, source), loopCount: loopCount, hasAlpha: hasAlpha, damage: damage)
    }

    /// Creates a picture without checks, for callers that made the frames themselves and know their size.
    init(
        _ size: PixelSize, _ content: Content, loopCount: Int = 0, hasAlpha: Bool, damage: ImageDamage = []
    ) {
        width = size.width
        height = size.height
        if case .onDemand(let first, let source) = content, !(source is FrameBuffer) {
            self.content = .onDemand(first, FrameBuffer(source))
        } else {
            self.content = content
        }
        self.loopCount = loopCount
        self.hasAlpha = hasAlpha
        self.damage = damage
    }

    /// Creates a still picture without checks.
    init(_ size: PixelSize, pixels: [UInt8], hasAlpha: Bool, damage: ImageDamage = []) {
        self.init(size, .held([Frame(pixels: pixels)]), hasAlpha: hasAlpha, damage: damage)
    }

    static func check(_ size: PixelSize, _ loopCount: Int, _ byteCounts: [Int]) throws(ImageError) {
        guard size.width > 0, size.height > 0, !byteCounts.isEmpty, loopCount >= 0 else {
            throw ImageError(
                code: .invalidRequest,
                message: "A picture needs a frame, a pixel and a loop count that is not negative.")
        }
        let (pixels, overflow) = size.width.multipliedReportingOverflow(by: size.height)
        guard !overflow, pixels <= Int.max / 4, byteCounts.allSatisfy({ $0 == pixels * 4 }) else {
            throw ImageError(code: .invalidRequest, message: "Every frame must have width * height * 4 bytes.")
        }
    }
}

/// Metadata that the copies of a picture share.
private final class KeptMetadata: Sendable {
    let value: ImageMetadata

    init(_ value: ImageMetadata) { self.value = value }
}

extension DecodedImage {
    /// What the picture's file says beside the pixels; `nil` when nothing of it can be kept.
    ///
    /// An encoder writes what ``EncodeOptions/keptMetadata`` names, and nothing by default.
    public var metadata: ImageMetadata? {
        get { kept?.value }
        set { kept = newValue.map(KeptMetadata.init) }
    }

    /// The size in pixels.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Whether there is more than one frame.
    public var isAnimated: Bool { frameCount > 1 }

    /// The bytes that the picture takes in memory: its cost in a cache.
    ///
    /// For frames that are made on demand, what is held now: the first frame if it is in memory, what their source
    /// holds, and the frames that players keep ready.
    ///
    /// - Complexity: O(1).
    public var byteCount: Int {
        let pixels =
            switch content {
            case .held(let frames): size.bitmapByteCount.saturatingMultiply(frames.count)
            case .onDemand(let first, let source): (first?.count ?? 0).saturatingAdd(source.byteCount)
            }
        return pixels.saturatingAdd(kept?.value.byteCount ?? 0)
    }
}

extension DecodedImage: CustomStringConvertible {
    /// The size and the number of frames, never the pixels.
    public var description: String {
        "DecodedImage(\(size), \(frameCount) frame\(frameCount == 1 ? "" : "s")\(hasAlpha ? ", alpha" : ""))"
    }
}
