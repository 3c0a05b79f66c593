import CImageShims

extension PNGCoder {
    /// Encodes the first frame, as RGB when the picture is opaque and as RGBA otherwise.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard image.width <= Int(Int32.max), image.height <= Int(Int32.max) else {
            throw ImageError(.tooLarge, "A PNG holds \(Int32.max) pixels a side, the picture is \(image.size).")
        }
        let frame = image.frames[0].pixels
        let pixels = image.hasAlpha ? Bitmap.unpremultiplied(frame) : frame
        var failure = swi_failure()
        var output = unsafe swi_bytes()
        var request = swi_png_encode_request(
            width: UInt32(image.width), height: UInt32(image.height), level: Int32(format.options.compressionLevel),
            has_alpha: image.hasAlpha ? 1 : 0, should_stop: ShimStatus.shouldStop)
        let status = unsafe pixels.withUnsafeBufferPointer { input in
            // A picture has at least one pixel.
            unsafe swi_png_encode(input.baseAddress!, &request, &output, &failure)
        }
        try ShimStatus.check(status, failure, format: .png)
        return unsafe ShimStatus.take(&output)
    }
}
