// SPDX-License-Identifier: MIT
#if HEIF
import CImageShims

/// Reads HEIC and AVIF, and writes AVIF, with libheif and its decoders. Built with the package trait `HEIF`.
///
/// Reads the primary picture, turned and cropped as the file says; of a sequence, the picture that stands for it. Ten
/// and twelve bits become eight. A file of which pixels are missing has no picture, whatever ``DecodeOptions/failOn``
/// says.
struct HEIFCoder: ImageDecoding {
    /// Creates a coder.
    init() {}

    /// Whether the format is HEIC, HEIF or AVIF, and libheif has a decoder for its coding.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool {
        switch format {
        case .avif: swi_heif_has_decoder(1) != 0
        case .heic: swi_heif_has_decoder(0) != 0
        case .heif: true
        default: false
        }
    }

    /// Reads the boxes before the pixels.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try HEIFHeader(bytes, options)
        return ImageProperties(
            format: header.format, width: header.size.width, height: header.size.height, frameCount: 1,
            hasAlpha: header.hasAlpha)
    }

    /// The bitmap or, for a thumbnail, some rows of it; the picture as libheif decodes and converts it; and what the
    /// `FramePlan` adds.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try HEIFHeader(bytes, options)
        return header.decodingByteCount(HEIFCoder.plan(for: header, options))
    }

    /// Decodes the primary picture.
    ///
    /// **Cancellation**: checked before and after libheif decodes, which is one step.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        let header = try HEIFHeader(bytes, options)
        try header.check(options.limits)
        let plan = HEIFCoder.plan(for: header, options)
        try options.limits.check(byteCount: header.decodingByteCount(plan))
        try work.look(pixels: header.size.pixelCount, isLongStep: true)
        var damage = ImageDamage()
        let (pixels, _) = try unsafe plan.draw(work, inOrder: true, premultiplies: false, missing: .clear) {
            damage = try unsafe FormatShim.draw(
                bytes, header.size, header.format, options, work, to: $0, $1, swi_heif_decode)
        }
        try work.look(isLongStep: true)
        return DecodedImage(
            plan.result, .held([DecodedImage.Frame(pixels: pixels)]),
            hasAlpha: header.hasAlpha && !Bitmap.isOpaque(pixels), damage: damage)
    }

    private static func plan(for header: HEIFHeader, _ options: DecodeOptions) -> FramePlan {
        FramePlan(stored: header.size, orientation: .up, thumbnail: options.thumbnail)
    }
}
#endif
