// SPDX-License-Identifier: MIT
#if HEIF
import CImageShims

/// Reads HEIC and AVIF, and writes AVIF, with libheif and its decoders. Built with the package trait `HEIF`.
///
/// Reads the primary picture, turned and cropped as the file says. Of an animation it reads the picture that stands for
/// it, when the first frame alone is wanted; all of its frames are an error, because libheif does not read them.
///
/// Ten and twelve bits become eight. A file of which pixels are missing has no picture, whatever
/// ``DecodeOptions/failOn`` says.
struct HEIFCoder: WatchedDecoding {
    /// Whether the format is HEIC, HEIF or AVIF, and libheif has a decoder for its coding.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool {
        switch format {
        case .avif: swi_heif_has_decoder(1) != 0
        case .heic: swi_heif_has_decoder(0) != 0
        case .heif: true
        default: false
        }
    }

    /// Always.
    var leavesColorProfile: Bool { true }

    /// Reads the boxes before the pixels.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try HEIFHeader(bytes, options)
        return ImageProperties(
            header.format, stored: header.size, frameCount: header.frameCount, hasAlpha: header.hasAlpha)
    }

    /// The bitmap or, for a thumbnail, some rows of it; the picture as libheif decodes and converts it; and what the
    /// `FramePlan` adds.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try HEIFHeader(bytes, options)
        try header.checkFrames(options)
        return header.decodingByteCount(FramePlan(header.size, options))
    }

    /// Decodes the primary picture.
    ///
    /// **Cancellation**: checked before and after libheif decodes, which is one step.
    ///
    /// - Throws: ``ImageError``, with `.unsupportedFormat` for more of an animation than its first frame;
    ///   `CancellationError`.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let header = try HEIFHeader(bytes, options)
        try header.checkFrames(options)
        let plan = FramePlan(header.size, options)
        try header.check(plan, options.limits)
        try options.limits.check(byteCount: header.decodingByteCount(plan))
        try work.look(isLongStep: true)
        let image = try unsafe plan.draw(work, premultiplies: header.hasAlpha) {
            try unsafe Shim.draw(header.format, bytes, header.size, to: $0, $1, options, work, swi_heif_decode)
        }
        try work.look(isLongStep: true)
        return image
    }
}

extension HEIFCoder: ImageEncoding {
    /// Whether the format is AVIF, and libheif has an encoder for it.
    func canEncode(_ format: ImageFormat) -> Bool { format == .avif && swi_avif_has_encoder() != 0 }

    /// Never: the first frame is written.
    func animates(_ format: EncodedFormat) -> Bool { false }

    /// Encodes the first frame as AVIF, 4:2:0. There is no lossless AVIF here: libheif rounds colours on their way.
    ///
    /// **Cancellation**: checked before and after libheif encodes, which is one step.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 65,536 pixels a side; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        try image.checkSides(atMost: 65_536, of: "An AVIF")
        let options = format.options
        let pixels = image.hasAlpha ? try Bitmap.unpremultiplied(image.pixels) : image.pixels
        // The encoder has ten speeds: the usual effort of 4 is its speed 6.
        var request = swi_avif_encode_request(
            width: Int32(image.width), height: Int32(image.height), quality: Int32(options.quality),
            has_alpha: image.hasAlpha ? 1 : 0, speed: Int32(min(10 - options.effort, 9)))
        try Task.checkCancellation()
        let bytes = try unsafe Shim.encode(.avif) { unsafe swi_avif_encode(pixels, &request, $0, $1) }
        try Task.checkCancellation()
        return bytes
    }

    /// The pixels without premultiplication, their copy and their planes, the encoder's pictures, and the file.
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        image.size.pixelCount.saturatingMultiply(60).saturatingAdd(32 << 20)
    }
}

/// What the boxes of a HEIF file say of its primary picture.
struct HEIFHeader {
    let format: ImageFormat
    /// As shown: libheif turns and crops.
    let size: PixelSize
    let hasAlpha: Bool
    private let bytesPerSample: Int
    private let codedSize: PixelSize
    /// 1 unless the file is an animation.
    let frameCount: Int

    /// Reads the boxes.
    ///
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unsupportedFormat`.
    init(_ bytes: [UInt8], _ options: DecodeOptions) throws {
        format = ImageFormat(sniffing: bytes) ?? options.declaredFormat ?? .heif
        var header = swi_heif_header()
        try unsafe Shim.call(format) { unsafe swi_heif_read_header(bytes, bytes.count, &header, $0) }
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        hasAlpha = header.has_alpha != 0
        bytesPerSample = Int(header.bytes_per_sample)
        let coded = try HEIFCodedSize(bytes)
        (codedSize, frameCount) = (coded.size, coded.frameCount)
    }

    /// Refuses the frames of an animation: the picture that stands for it would be a still in its place.
    ///
    /// - Throws: ``ImageError`` with `.unsupportedFormat`.
    func checkFrames(_ options: DecodeOptions) throws(ImageError) {
        guard frameCount > 1, !options.firstFrameOnly else { return }
        throw ImageError(
            code: .unsupportedFormat,
            message:
                "The \(format) is an animation of \(frameCount) frames, of which libheif reads the first one alone.",
            advice: "Ask for the first frame alone, or insert a decoder of animations into ImageCoders.decoders.")
    }

    /// Checks the size that is shown, and the one that is coded.
    ///
    /// - Throws: ``ImageError``: `.malformed`, `.tooLarge`, `.workLimitExceeded`.
    func check(_ plan: FramePlan, _ limits: ImageLimits) throws(ImageError) {
        try plan.check(size, limits, rows: size.height, whole: "A HEIF picture")
        try limits.check(
            PixelSize(width: max(codedSize.width, 1), height: max(codedSize.height, 1)), whole: "A HEIF picture")
    }

    /// The bitmap or some of its rows, and what libheif takes: the samples that the decoder draws, a copy of them that
    /// is turned or put together, both with alpha, the pixels as RGBA, and what the threads of the decoder take.
    func decodingByteCount(_ plan: FramePlan) -> Int {
        let pixels = max(size.pixelCount, codedSize.pixelCount)
        let samples = pixels.saturatingMultiply((hasAlpha ? 4 : 3) * 2 * bytesPerSample)
        return plan.drawingByteCount(inOrder: true).saturatingAdd(plan.finishingByteCount).saturatingAdd(samples)
            .saturatingAdd(size.bitmapByteCount.saturatingMultiply(bytesPerSample)).saturatingAdd(24 << 20)
    }
}
#endif
