import CImageShims

extension PNGCoder {
    /// Decodes a PNG.
    ///
    /// **Cancellation**: Asked every 16 rows.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        let header = try PNGHeader(bytes, maximumMetadataByteCount: options.limits.maximumMetadataByteCount)
        try options.limits.check(width: header.size.width, height: header.size.height)
        let plan = PNGCoder.plan(for: header, thumbnail: options.thumbnail)
        try options.limits.check(byteCount: PNGCoder.decodingByteCount(header, plan))
        var hasAlpha = false
        let pixels = try unsafe Bitmap.draw(plan.drawn) { output in
            var failure = swi_failure()
            var request = swi_png_decode_request(
                width: UInt32(header.size.width), height: UInt32(header.size.height),
                should_stop: ShimStatus.shouldStop)
            let status = unsafe bytes.withUnsafeBufferPointer { input in
                // Neither is empty: the header was read, and both sides are at least one pixel.
                unsafe swi_png_decode(input.baseAddress!, input.count, &request, output.baseAddress!, &failure)
            }
            try ShimStatus.check(status, failure, format: .png)
            if header.hasAlpha { hasAlpha = unsafe Bitmap.premultiply(output) }
        }
        let frame = DecodedImage.Frame(pixels: try plan.finish(pixels, plan.resampler()))
        return DecodedImage(checked: plan.result.width, plan.result.height, frames: [frame], hasAlpha: hasAlpha)
    }

    static func plan(for header: PNGHeader, thumbnail: PixelSize?) -> FramePlan {
        FramePlan(stored: header.size, orientation: header.orientation, thumbnail: thumbnail)
    }
}
