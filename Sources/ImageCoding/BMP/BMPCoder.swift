// SPDX-License-Identifier: MIT
/// Reads Windows bitmaps.
///
/// Reads 1 to 32 bits a pixel, with palettes, runs and masks, from either end, and the headers of OS/2. Alpha counts
/// where the header names it. JPEG or PNG inside a bitmap is not read, and colour profiles are not applied.
struct BMPCoder: WatchedDecoding {
    /// Whether the format is BMP.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .bmp }

    /// Reads the header.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try BMPCoder.header(of: bytes)
        return ImageProperties(.bmp, stored: header.size, hasAlpha: header.hasAlpha, isLossless: true)
    }

    /// The bitmap or, for a thumbnail, some rows of it; a byte for each pixel of runs; and what the `FramePlan` adds.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try BMPCoder.header(of: bytes)
        return BMPCoder.decodingByteCount(header, FramePlan(header.size, options))
    }

    /// Decodes a bitmap.
    ///
    /// A file without its last pixels is an error unless ``DecodeOptions/failOn`` is ``DamagePolicy/never``: then the
    /// missing pixels are transparent.
    ///
    /// **Cancellation**: checked every 16 rows and every 1,024 runs.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let header = try BMPCoder.header(of: bytes)
        return try BMPCoder.decode(
            BMPPixels(bytes: bytes, header: header, failOn: options.failOn, work: work), options)
    }

    /// Draws the pixels of a bitmap or an icon.
    static func decode(_ source: BMPPixels, _ options: DecodeOptions) throws -> DecodedImage {
        let header = source.header
        let plan = FramePlan(header.size, options)
        try plan.check(header.size, options.limits)
        try options.limits.check(byteCount: decodingByteCount(header, plan))
        let mayBeClear = header.hasAlpha || source.mask != nil || options.failOn == .never
        return try unsafe plan.draw(source.work, premultiplies: mayBeClear) { try unsafe source.draw(to: $0, $1) }
    }

    static func decodingByteCount(_ header: BMPHeader, _ plan: FramePlan) -> Int {
        var indexes = 0
        if case .runs = header.coding { indexes = header.size.pixelCount }
        return plan.drawingByteCount(inOrder: true).saturatingAdd(plan.finishingByteCount).saturatingAdd(indexes)
            .saturatingAdd(8_192)
    }

    /// The header of the file has 14 bytes.
    private static func header(of bytes: [UInt8]) throws(ImageError) -> BMPHeader {
        try BMPHeader(bytes, at: 14, pixelStart: BMPNumbers(bytes: bytes).u32(10))
    }
}
