import CImageShims

extension PNGCoder {
    /// Decodes a PNG.
    ///
    /// **Cancellation**: checked every 65,536 pixels, every 32 KiB of the file and every 4,096 chunks.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        try decode(bytes, options, DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let header = try PNGHeader(
            bytes, maximumMetadataByteCount: limits.maximumMetadataByteCount, work: work)
        try limits.check(width: header.size.width, height: header.size.height)
        let plan = PNGCoder.plan(for: header, thumbnail: options.thumbnail)
        try limits.check(byteCount: PNGCoder.decodingByteCount(header, plan))
        var hasAlpha = false
        let pixels = try unsafe Bitmap.draw(plan.bitmap) { output in
            var failure = swi_failure()
            let status = unsafe work.lend { look, context in
                var request = unsafe swi_png_decode_request(
                    width: UInt32(header.size.width), height: UInt32(header.size.height), look: look,
                    context: context)
                return unsafe bytes.withUnsafeBufferPointer { input in
                    // Neither is empty: the header was read, and both sides are at least one pixel.
                    unsafe swi_png_decode(input.baseAddress!, input.count, &request, output.baseAddress!, &failure)
                }
            }
            try ShimStatus.check(status, failure, format: .png, work: work)
            if header.hasAlpha { hasAlpha = try unsafe Bitmap.premultiply(output, work) }
        }
        let frame = DecodedImage.Frame(pixels: try plan.finish(pixels, plan.resampler()))
        return DecodedImage(checked: plan.result.width, plan.result.height, frames: [frame], hasAlpha: hasAlpha)
    }

    static func header(of bytes: [UInt8], _ options: DecodeOptions) throws -> PNGHeader {
        try PNGHeader(
            bytes, maximumMetadataByteCount: options.limits.maximumMetadataByteCount,
            work: DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    static func plan(for header: PNGHeader, thumbnail: PixelSize?) -> FramePlan {
        FramePlan(stored: header.size, orientation: header.orientation, thumbnail: thumbnail)
    }
}
