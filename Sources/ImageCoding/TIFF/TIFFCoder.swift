// SPDX-License-Identifier: MIT
#if TIFF
import CImageShims

/// Reads the first picture of a TIFF with libtiff. Built with the package trait `TIFF`.
///
/// Reads strips and tiles of 1 to 16 bits a sample: grey, palette, RGB, CMYK, YCbCr and Lab, stored plainly or by
/// PackBits, LZW, Deflate, JPEG or fax codes. Sixteen bits become eight. What libtiff cannot draw as RGBA, and rarer
/// compressions, are `.unsupportedFormat`.
struct TIFFCoder: ImageDecoding {
    /// Creates a coder.
    init() {}

    /// Whether the format is TIFF.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .tiff }

    /// Reads the first directory, which may be anywhere in the file.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try TIFFHeader(bytes, options.limits)
        let shown = header.size.turned(header.orientation)
        return ImageProperties(
            format: .tiff, width: shown.width, height: shown.height, frameCount: 1, orientation: header.orientation,
            hasAlpha: header.hasAlpha, isLossless: header.isLossless)
    }

    /// The bitmap or, for a thumbnail, some rows of it and a band of strips; what libtiff holds for a band; and what
    /// the `FramePlan` adds.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try TIFFHeader(bytes, options.limits)
        return TIFFCoder.decodingByteCount(header, TIFFCoder.plan(for: header, options))
    }

    /// Decodes the first picture.
    ///
    /// A strip that is missing or broken is an error unless ``DecodeOptions/failOn`` is ``DamagePolicy/never``: then it
    /// is transparent. A file without the strips at its end counts as truncated.
    ///
    /// **Cancellation**: checked between strips or rows of tiles; a file may have a single strip.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        let header = try TIFFHeader(bytes, options.limits)
        try options.limits.check(width: header.size.width, height: header.size.height)
        let plan = TIFFCoder.plan(for: header, options)
        try options.limits.check(byteCount: TIFFCoder.decodingByteCount(header, plan))
        var damage = ImageDamage()
        let (pixels, _) = try unsafe plan.draw(work, inOrder: true, premultiplies: false, missing: .clear) {
            damage = try unsafe FormatShim.draw(
                bytes, header.size, .tiff, options, work, to: $0, $1, swi_tiff_decode)
        }
        let mayBeClear = header.hasAlpha || damage.contains(.missingPixels)
        return DecodedImage(
            plan.result, .held([DecodedImage.Frame(pixels: pixels)]),
            hasAlpha: mayBeClear && !Bitmap.isOpaque(pixels), damage: damage)
    }

    private static func plan(for header: TIFFHeader, _ options: DecodeOptions) -> FramePlan {
        FramePlan(stored: header.size, orientation: header.orientation, thumbnail: options.thumbnail)
    }

    private static func decodingByteCount(_ header: TIFFHeader, _ plan: FramePlan) -> Int {
        let drawing = plan.drawingByteCount(inOrder: true)
        // Without a resampler, a band is drawn in its place.
        let band = !plan.isResampled ? 0 : header.size.width.saturatingMultiply(header.band).saturatingMultiply(4)
        return drawing.saturatingAdd(plan.finishingByteCount).saturatingAdd(band)
            .saturatingAdd(header.workingByteCount)
    }
}
#endif
