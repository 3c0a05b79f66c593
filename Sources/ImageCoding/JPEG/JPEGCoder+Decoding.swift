import CImageShims

extension JPEGCoder {
    /// Decodes a JPEG.
    ///
    /// A thumbnail is drawn by libjpeg at a half, a quarter or an eighth, leaving at least twice the pixels wanted, and
    /// resampled from there.
    ///
    /// Other than libjpeg alone, which pads with grey, a file that ends early is an error, and so is broken data.
    ///
    /// **Cancellation**: Asked for every row of blocks in every scan.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        let limits = options.limits
        let header = try JPEGHeader(bytes, maximumMetadataByteCount: limits.maximumMetadataByteCount)
        try limits.check(width: header.size.width, height: header.size.height)
        let plan = JPEGCoder.plan(for: header, thumbnail: options.thumbnail)
        try limits.check(byteCount: JPEGCoder.decodingByteCount(header, plan))
        let pixels = try unsafe Bitmap.draw(plan.drawn) { output in
            var failure = swi_failure()
            var request = swi_jpeg_decode_request(
                denominator: Int32(plan.denominator), width: Int32(header.size.width),
                height: Int32(header.size.height),
                max_scans: Int32(clamping: limits.maximumScanCount), should_stop: ShimStatus.shouldStop)
            let status = unsafe bytes.withUnsafeBufferPointer { input in
                // Neither is empty: the header was read, and both sides are at least one pixel.
                unsafe swi_jpeg_decode(input.baseAddress!, input.count, &request, output.baseAddress!, &failure)
            }
            try ShimStatus.check(status, failure, format: .jpeg)
        }
        let frame = DecodedImage.Frame(pixels: try plan.finish(pixels, plan.resampler()))
        return DecodedImage(checked: plan.result.width, plan.result.height, frames: [frame], hasAlpha: false)
    }

    /// The strongest shrinking that leaves twice the pixels the resampler must deliver.
    static func plan(for header: JPEGHeader, thumbnail: PixelSize?) -> FramePlan {
        FramePlan(
            stored: header.size, denominators: [8, 4, 2], orientation: header.orientation, thumbnail: thumbnail)
    }
}
