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
        let denominator = JPEGCoder.denominator(for: header, thumbnail: options.thumbnail)
        let plan = FramePlan(
            stored: header.size, denominator: denominator, orientation: header.orientation,
            thumbnail: options.thumbnail)
        let pixels = try unsafe Bitmap.draw(plan.drawn) { output in
            var failure = swi_failure()
            var request = swi_jpeg_decode_request(
                denominator: Int32(denominator), width: Int32(header.size.width), height: Int32(header.size.height),
                max_scans: Int32(clamping: limits.maximumScanCount), should_stop: ShimStatus.shouldStop)
            let status = unsafe bytes.withUnsafeBufferPointer { input in
                // Neither is empty: the header was read, and both sides are at least one pixel.
                unsafe swi_jpeg_decode(input.baseAddress!, input.count, &request, output.baseAddress!, &failure)
            }
            try ShimStatus.check(status, failure, format: .jpeg)
        }
        let frame = DecodedImage.Frame(pixels: try plan.finish(pixels))
        return DecodedImage(checked: plan.result.width, plan.result.height, frames: [frame], hasAlpha: false)
    }

    /// The strongest shrinking that leaves twice the pixels the resampler must deliver.
    private static func denominator(for header: JPEGHeader, thumbnail: PixelSize?) -> Int {
        let target = FramePlan.target(stored: header.size, orientation: header.orientation, thumbnail: thumbnail)
        let size = header.size
        let fitting = [8, 4, 2].first { size.width / $0 >= target.width * 2 && size.height / $0 >= target.height * 2 }
        return fitting ?? 1
    }
}
