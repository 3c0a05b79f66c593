import CImageShims

extension JPEGCoder {
    /// Decodes a JPEG.
    ///
    /// libjpeg draws a thumbnail at a half, a quarter or an eighth, with at least twice the requested pixels. The
    /// result is then resampled.
    ///
    /// A truncated file and broken data are errors; libjpeg alone would fill the rest with grey.
    ///
    /// **Cancellation**: checked for every row of blocks in every scan, and every 256 KiB of the file.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        try decode(bytes, options, DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let header = try JPEGHeader(
            bytes, maximumMetadataByteCount: limits.maximumMetadataByteCount, work: work)
        try limits.check(width: header.size.width, height: header.size.height)
        let plan = JPEGCoder.plan(for: header, thumbnail: options.thumbnail)
        try limits.check(byteCount: JPEGCoder.decodingByteCount(header, plan))
        let pixels = try unsafe Bitmap.draw(plan.bitmap) { output in
            var failure = swi_failure()
            let status = unsafe work.lend { look, context in
                let turn = plan.turnWhileDrawing
                var request = unsafe swi_jpeg_decode_request(
                    denominator: Int32(plan.denominator), width: Int32(header.size.width),
                    height: Int32(header.size.height), max_scans: Int32(clamping: limits.maximumScanCount),
                    start: turn.start, right: turn.right, down: turn.down, look: look, context: context)
                return unsafe bytes.withUnsafeBufferPointer { input in
                    // Neither is empty: the header was read, and both sides are at least one pixel.
                    unsafe swi_jpeg_decode(input.baseAddress!, input.count, &request, output.baseAddress!, &failure)
                }
            }
            try ShimStatus.check(status, failure, format: .jpeg, work: work)
        }
        let frame = DecodedImage.Frame(pixels: try plan.finish(pixels, plan.resampler()))
        return DecodedImage(checked: plan.result.width, plan.result.height, frames: [frame], hasAlpha: false)
    }

    static func header(of bytes: [UInt8], _ options: DecodeOptions) throws -> JPEGHeader {
        try JPEGHeader(
            bytes, maximumMetadataByteCount: options.limits.maximumMetadataByteCount,
            work: DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    /// Plans to draw at the smallest size with at least twice the pixels of the result.
    static func plan(for header: JPEGHeader, thumbnail: PixelSize?) -> FramePlan {
        FramePlan(
            stored: header.size, denominators: [8, 4, 2], orientation: header.orientation, thumbnail: thumbnail,
            turnsWhileDrawing: true)
    }
}
