// SPDX-License-Identifier: MIT
#if HEIF
import CImageShims

extension HEIFCoder: ImageEncoding {
    /// Whether the format is AVIF, and libheif has an encoder for it.
    func canEncode(_ format: ImageFormat) -> Bool { format == .avif && swi_avif_has_encoder() != 0 }

    /// Encodes the first frame as AVIF, 4:2:0. There is no lossless AVIF here: libheif rounds colours on their way.
    ///
    /// **Cancellation**: checked before and after libheif encodes, which is one step.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 65,536 pixels a side; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard image.width <= 65_536, image.height <= 65_536 else {
            throw ImageError(
                code: .tooLarge, message: "An AVIF holds 65536 pixels a side, the picture is \(image.size).")
        }
        let options = format.options
        let frame = image.pixels
        let pixels = image.hasAlpha ? try Bitmap.unpremultiplied(frame) : frame
        var failure = swi_failure()
        var output = unsafe swi_bytes()
        // The encoder has ten speeds: the usual effort of 4 is its speed 6.
        var request = swi_avif_encode_request(
            width: Int32(image.width), height: Int32(image.height), quality: Int32(options.quality),
            has_alpha: image.hasAlpha ? 1 : 0, speed: Int32(min(10 - options.effort, 9)))
        try Task.checkCancellation()
        let status = unsafe pixels.withUnsafeBufferPointer { input in
            // A picture has at least one pixel.
            unsafe swi_avif_encode(input.baseAddress!, &request, &output, &failure)
        }
        try ShimStatus.check(status, failure, format: .avif)
        let bytes = unsafe ShimStatus.take(&output)
        try Task.checkCancellation()
        return bytes
    }

    /// The pixels without premultiplication, their copy and their planes, the encoder's pictures, and the file.
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        image.size.pixelCount.saturatingMultiply(60).saturatingAdd(32 << 20)
    }
}
#endif
