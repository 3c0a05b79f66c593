// SPDX-License-Identifier: MIT
import CImageShims

/// Reads and writes PNG with libpng.
///
/// Reads every colour type, 1 to 16 bits, interlaced or not; 16 bits become 8 by dropping the low byte, as browsers do.
/// Animations are read, and written as their first frame. In an animation that breaks the rules, the default picture is
/// read. Gamma is not applied, and a colour profile by ``ImageCoders``, with the trait `ICC`.
public struct PNGCoder: ImageDecoding, ImageEncoding {
    /// Creates a coder.
    public init() {}

    /// Whether the format is PNG.
    public func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .png }

    /// Whether the format is PNG.
    public func canEncode(_ format: ImageFormat) -> Bool { format == .png }

    /// Never: the format has no quality.
    public func usesQuality(_ format: EncodedFormat) -> Bool { false }

    /// Reads the chunks without inflating anything.
    public func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try PNGCoder.header(of: bytes, options)
        let shown = header.size.turned(header.orientation)
        var frameCount: Int? = 1
        if header.isAnimated {
            let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
            let animation = try PNGAnimation(bytes, canvas: header.size, frameLimit: .max, work: work)
            frameCount = animation.map { $0.isComplete ? $0.frames.count : nil } ?? 1
        }
        return ImageProperties(
            format: .png, width: shown.width, height: shown.height, frameCount: frameCount,
            orientation: header.orientation,
            hasAlpha: header.hasAlpha, isLossless: true)
    }
}

extension PNGCoder {
    /// Encodes the first frame, as RGB when the picture is opaque and as RGBA otherwise.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard image.width <= Int(Int32.max), image.height <= Int(Int32.max) else {
            throw ImageError(
                code: .tooLarge, message: "A PNG holds \(Int32.max) pixels a side, the picture is \(image.size).")
        }
        let frame = image.pixels
        let pixels = image.hasAlpha ? try Bitmap.unpremultiplied(frame) : frame
        var failure = swi_failure()
        var output = unsafe swi_bytes()
        var request = swi_png_encode_request(
            width: UInt32(image.width), height: UInt32(image.height), level: Int32(format.options.compressionLevel),
            has_alpha: image.hasAlpha ? 1 : 0, should_stop: ShimStatus.shouldStop)
        let status = unsafe pixels.withUnsafeBufferPointer { input in
            // A picture has at least one pixel.
            unsafe swi_png_encode(input.baseAddress!, &request, &output, &failure)
        }
        try ShimStatus.check(status, failure, format: .png)
        return unsafe ShimStatus.take(&output)
    }
}

extension PNGCoder {
    /// The bitmap or, for a thumbnail of a file that is not interlaced, some rows of it; libpng's rows; and what the
    /// `FramePlan` adds. Interlacing adds nothing to a bitmap: its passes share it.
    public func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try PNGCoder.header(of: bytes, options)
        let plan = PNGCoder.plan(for: header, thumbnail: options.thumbnail)
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        guard let animation = try PNGCoder.animation(of: bytes, header, options, work) else {
            return PNGCoder.decodingByteCount(header, plan)
        }
        return PNGCoder.decodingByteCount(animation, header, plan, onDemand: options.framesOnDemand)
    }

    static func decodingByteCount(_ header: PNGHeader, _ plan: FramePlan, isFrame: Bool = false) -> Int {
        // Two rows of up to eight bytes a pixel; zlib's window and what libpng reads at once.
        plan.drawingByteCount(inOrder: !header.isInterlaced && !isFrame).saturatingAdd(plan.finishingByteCount)
            .saturatingAdd(header.size.width.saturatingMultiply(24)).saturatingAdd(131_072)
    }

    /// The pixels without premultiplication, five rows, zlib, and the file twice: libpng's and ours.
    public func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let row = image.width.saturatingMultiply(4).saturatingAdd(1)
        // Stored blocks add five bytes for every 16 KiB.
        let file = row.saturatingMultiply(image.height).saturatingMultiply(1_001) / 1_000
        return file.saturatingMultiply(2).saturatingAdd(image.hasAlpha ? image.size.bitmapByteCount : 0)
            .saturatingAdd(row.saturatingMultiply(6)).saturatingAdd(524_288)
    }
}
