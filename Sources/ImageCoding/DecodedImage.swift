/// A picture, or a sequence of pictures, as plain pixels: the input and output of coders and transformers.
///
/// Every frame has the same size and is complete: it does not depend on the frame before. Pixels are RGBA, 8 bits a
/// channel, premultiplied by alpha, interpreted as sRGB, rows top down without padding. The picture is upright: an EXIF
/// orientation was applied. A copy shares its pixels.
public struct DecodedImage: Hashable, Sendable {
    /// One picture of a sequence.
    public struct Frame: Hashable, Sendable {
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

    /// Width in pixels, at least 1.
    public let width: Int
    /// Height in pixels, at least 1.
    public let height: Int
    /// The frames in the order they are shown, at least one.
    public let frames: [Frame]
    /// How often an animation is played, from its file; 0 means forever.
    ///
    /// 0 in a still picture.
    public let loopCount: Int
    /// Whether a pixel may be transparent.
    ///
    /// `false` promises that every alpha is 255.
    public let hasAlpha: Bool

    /// Creates a picture from frames.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: The frames, each of `width * height * 4` bytes.
    ///   - loopCount: How often an animation is played; 0 means forever.
    ///   - hasAlpha: Whether a pixel may be transparent.
    /// - Throws: `.invalidRequest` without frames, for a side below 1, or when a frame has another number of bytes.
    public init(width: Int, height: Int, frames: [Frame], loopCount: Int = 0, hasAlpha: Bool) throws(ImageError) {
        guard width > 0, height > 0, !frames.isEmpty, loopCount >= 0 else {
            throw ImageError(
                code: .invalidRequest,
                message: "A picture needs a frame, a pixel and a loop count that is not negative.")
        }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= Int.max / 4, frames.allSatisfy({ $0.pixels.count == pixels * 4 }) else {
            throw ImageError(code: .invalidRequest, message: "Every frame must have width * height * 4 bytes.")
        }
        self.init(checked: width, height, frames: frames, loopCount: loopCount, hasAlpha: hasAlpha)
    }

    /// Creates a picture without checks, for callers that made the frames themselves and know their size.
    init(checked width: Int, _ height: Int, frames: [Frame], loopCount: Int = 0, hasAlpha: Bool) {
        assert(!frames.isEmpty && frames.allSatisfy { $0.pixels.count == width * height * 4 })
        self.width = width
        self.height = height
        self.frames = frames
        self.loopCount = loopCount
        self.hasAlpha = hasAlpha
    }
}

extension DecodedImage {
    /// The size in pixels.
    public var size: PixelSize { PixelSize(width: width, height: height) }

    /// Whether there is more than one frame.
    public var isAnimated: Bool { frames.count > 1 }

    /// The bytes that all pixels take in memory: the picture's cost in a cache.
    public var byteCount: Int { width * height * 4 * frames.count }

    /// The first frame alone, as a still picture.
    public var firstFrame: DecodedImage {
        DecodedImage(checked: width, height, frames: [Frame(pixels: frames[0].pixels)], hasAlpha: hasAlpha)
    }
}

extension DecodedImage: CustomStringConvertible {
    /// The size and the number of frames, never the pixels.
    public var description: String {
        "DecodedImage(\(size), \(frames.count) frame\(frames.count == 1 ? "" : "s")\(hasAlpha ? ", alpha" : ""))"
    }
}
