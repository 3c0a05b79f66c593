// SPDX-License-Identifier: MIT
#if TIFF
import CImageShims

/// Reads the first picture of a TIFF with libtiff. Built with the package trait `TIFF`.
///
/// Reads strips and tiles of 1 to 16 bits a sample: grey, palette, RGB, YCbCr and Lab, CMYK of 8, stored plainly or by
/// PackBits, LZW, Deflate, JPEG or fax codes. Sixteen bits become eight. What libtiff cannot draw as RGBA, and rarer
/// compressions, are `.unsupportedFormat`.
struct TIFFCoder: WatchedDecoding {
    /// Whether the format is TIFF.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .tiff }

    /// Always.
    var leavesColorProfile: Bool { true }

    /// Reads the first directory, which may be anywhere in the file.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try TIFFHeader(bytes, options.limits)
        return ImageProperties(
            .tiff, stored: header.size, orientation: header.orientation, hasAlpha: header.hasAlpha,
            isLossless: header.isLossless)
    }

    /// The bitmap or, for a thumbnail, some rows of it and a band of strips; what libtiff holds for a band; and what
    /// the `FramePlan` adds.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try TIFFHeader(bytes, options.limits)
        return TIFFCoder.decodingByteCount(header, FramePlan(header.size, orientation: header.orientation, options))
    }

    /// Decodes the first picture.
    ///
    /// A strip that is missing or broken is an error unless ``DecodeOptions/failOn`` is ``DamagePolicy/never``: then it
    /// is transparent. A file without the strips at its end counts as truncated.
    ///
    /// **Cancellation**: checked between strips or rows of tiles; a file may have a single strip.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let header = try TIFFHeader(bytes, options.limits)
        try options.limits.checkSides(header.size)
        let plan = FramePlan(header.size, orientation: header.orientation, options)
        try plan.check(
            header.size, options.limits, rows: header.band, whole: "A strip or tile of \(header.band) rows")
        try options.limits.check(byteCount: TIFFCoder.decodingByteCount(header, plan))
        return try unsafe plan.draw(work, premultiplies: header.hasAlpha || options.failOn == .never) {
            try unsafe Shim.draw(.tiff, bytes, header.size, to: $0, $1, options, work, swi_tiff_decode)
        }
    }

    private static func decodingByteCount(_ header: TIFFHeader, _ plan: FramePlan) -> Int {
        let drawing = plan.drawingByteCount(inOrder: true)
        // Without a resampler, a band is drawn in its place.
        let band = !plan.isResampled ? 0 : header.size.width.saturatingMultiply(header.band).saturatingMultiply(4)
        return drawing.saturatingAdd(plan.finishingByteCount).saturatingAdd(band)
            .saturatingAdd(header.workingByteCount)
    }
}

/// What the first directory of a TIFF says.
struct TIFFHeader {
    /// As stored.
    let size: PixelSize
    let orientation: ImageOrientation
    let hasAlpha: Bool
    let isLossless: Bool
    /// The rows that libtiff draws at once.
    let band: Int
    /// The bytes that libtiff holds to draw a band.
    let workingByteCount: Int

    /// Reads the header.
    ///
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unsupportedFormat`.
    init(_ bytes: [UInt8], _ limits: ImageLimits) throws {
        var header = swi_tiff_header()
        try unsafe Shim.call(.tiff) {
            unsafe swi_tiff_read_header(bytes, bytes.count, Shim.largestAllocation(limits), &header, $0)
        }
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        orientation = ImageOrientation(rawValue: Int(header.orientation)) ?? .up
        hasAlpha = header.has_alpha != 0
        isLossless = header.is_lossless != 0
        band = Int(header.band)
        workingByteCount = Int(clamping: header.byte_count)
    }
}
#endif
