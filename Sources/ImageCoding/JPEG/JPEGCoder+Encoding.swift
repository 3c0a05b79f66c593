import CImageShims

extension JPEGCoder {
    /// Encodes the first frame, 4:2:0, with alpha laid over the background.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 65,500 pixels a side; `CancellationError`.
    public func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard image.width <= 65_500, image.height <= 65_500 else {
            throw ImageError(.tooLarge, "A JPEG holds 65500 pixels a side, the picture is \(image.size).")
        }
        let options = format.options
        let frame = image.frames[0].pixels
        let pixels = image.hasAlpha ? Bitmap.flattened(frame, on: options.background) : frame
        var failure = swi_failure()
        var output = unsafe swi_bytes()
        var request = swi_jpeg_encode_request(
            width: Int32(image.width), height: Int32(image.height), quality: Int32(options.quality),
            progressive: options.isProgressive ? 1 : 0, should_stop: ShimStatus.shouldStop)
        let status = unsafe pixels.withUnsafeBufferPointer { input in
            // A picture has at least one pixel.
            unsafe swi_jpeg_encode(input.baseAddress!, &request, &output, &failure)
        }
        try ShimStatus.check(status, failure, format: .jpeg)
        return unsafe ShimStatus.take(&output)
    }
}
