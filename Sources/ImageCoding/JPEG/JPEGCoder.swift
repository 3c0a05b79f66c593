// SPDX-License-Identifier: MIT
import CImageShims

/// Reads and writes JPEG with libjpeg-turbo.
///
/// Reads baseline, extended and progressive files of 8 bits a sample: grey, YCbCr, RGB, and CMYK or YCCK, which are
/// read as inverted, as Adobe writes them and browsers read them. Embedded colour profiles are applied by
/// ``ImageCoders``, with the package trait `ICC`.
struct JPEGCoder: ImageDecoding, ImageEncoding {
    /// Creates a coder.
    init() {}

    /// Whether the format is JPEG.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .jpeg }

    /// Whether the format is JPEG.
    func canEncode(_ format: ImageFormat) -> Bool { format == .jpeg }

    /// Reads the markers before the first scan.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try JPEGCoder.header(of: bytes, options)
        let shown = header.size.turned(header.orientation)
        return ImageProperties(
            format: .jpeg, width: shown.width, height: shown.height, frameCount: 1, orientation: header.orientation,
            hasAlpha: false)
    }
}

extension JPEGCoder {
    /// Encodes the first frame, 4:2:0, with alpha laid over the background.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 65,500 pixels a side; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard image.width <= 65_500, image.height <= 65_500 else {
            throw ImageError(
                code: .tooLarge, message: "A JPEG holds 65500 pixels a side, the picture is \(image.size).")
        }
        let options = format.options
        let frame = image.pixels
        let pixels = image.hasAlpha ? try Bitmap.flattened(frame, on: options.background) : frame
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
