extension PNGCoder {
    /// The bitmap, libpng's rows and what the `FramePlan` adds. Interlacing adds nothing: its passes share the bitmap.
    public func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try PNGCoder.header(of: bytes, options)
        return PNGCoder.decodingByteCount(header, PNGCoder.plan(for: header, thumbnail: options.thumbnail))
    }

    static func decodingByteCount(_ header: PNGHeader, _ plan: FramePlan) -> Int {
        // Two rows of up to eight bytes a pixel; zlib's window and what libpng reads at once.
        plan.drawn.bitmapByteCount.saturatingAdd(plan.finishingByteCount)
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
