// SPDX-License-Identifier: MIT
import CLibwebp

extension WebPPicture {
    /// Runs `body` with a picture of the pixels of one frame, which checks for cancellation during encoding.
    ///
    /// - Parameter inARGB: Whether libwebp gets all colours, for lossless files and animations. A lossy encoder takes
    ///   half of them, in YUV.
    static func withPicture<Result>(
        _ pixels: [UInt8], of image: DecodedImage, inARGB: Bool,
        _ body: (UnsafeMutablePointer<WebPPicture>) throws -> Result
    ) throws -> Result {
        var picture = try unsafe WebPPicture.make(image.width, image.height, inARGB, hasAlpha: image.hasAlpha)
        defer { unsafe WebPPictureFree(&picture) }
        unsafe picture.progress_hook = { _, _ in Task.isCancelled ? 0 : 1 }
        guard unsafe WebPPictureAlloc(&picture) != 0 else { throw WebPCoder.noMemory }
        // libwebp imports without a pause, so it gets a quarter of a megapixel at a time, and whole blocks of YUV.
        let rows = max((1 << 18) / image.width & ~1, 2)
        for top in stride(from: 0, to: image.height, by: rows) {
            try Task.checkCancellation()
            let count = min(rows, image.height - top)
            let part = Array(pixels[top * image.width * 4..<(top + count) * image.width * 4])
            var strip = try unsafe WebPPicture.make(image.width, count, inARGB, hasAlpha: image.hasAlpha)
            defer { unsafe WebPPictureFree(&strip) }
            let stride = Int32(image.width * 4)
            let isImported =
                if image.hasAlpha {
                    try unsafe WebPPictureImportRGBA(&strip, Bitmap.unpremultiplied(part), stride) != 0
                } else {
                    unsafe WebPPictureImportRGBX(&strip, part, stride) != 0
                }
            guard isImported else { throw WebPCoder.noMemory }
            unsafe picture.copy(strip, at: top)
        }
        return try unsafe withUnsafeMutablePointer(to: &picture) { try unsafe body($0) }
    }

    /// A picture without memory.
    private static func make(_ width: Int, _ height: Int, _ inARGB: Bool, hasAlpha: Bool) throws -> WebPPicture {
        var picture = unsafe WebPPicture()
        guard unsafe WebPPictureInit(&picture) != 0 else { throw WebPCoder.wrongLibrary }
        unsafe picture.use_argb = inARGB ? 1 : 0
        unsafe picture.colorspace = hasAlpha ? WEBP_YUV420A : WEBP_YUV420
        unsafe picture.width = Int32(width)
        unsafe picture.height = Int32(height)
        return unsafe picture
    }

    /// Copies the rows of a strip of the same width, of which the picture has room for all. Both are as libwebp lays them
    /// out, so their rows are as long.
    ///
    /// - Parameter top: An even row.
    private func copy(_ strip: WebPPicture, at top: Int) {
        func copy<Sample>(
            _ target: UnsafeMutablePointer<Sample>?, _ source: UnsafeMutablePointer<Sample>?, at top: Int, _ rows: Int,
            _ stride: Int32, missing: Sample
        ) {
            let count = rows * Int(stride)
            guard let start = unsafe target.map({ unsafe $0 + top * Int(stride) }) else { return }
            if let source = unsafe source {
                unsafe start.update(from: source, count: count)
            } else {
                unsafe start.update(repeating: missing, count: count)
            }
        }
        // A picture has either ARGB or the other planes.
        let height = unsafe Int(strip.height)
        unsafe copy(argb, strip.argb, at: top, height, argb_stride, missing: 0)
        unsafe copy(y, strip.y, at: top, height, y_stride, missing: 0)
        unsafe copy(u, strip.u, at: top / 2, (height + 1) / 2, uv_stride, missing: 0)
        unsafe copy(v, strip.v, at: top / 2, (height + 1) / 2, uv_stride, missing: 0)
        unsafe copy(a, strip.a, at: top, height, a_stride, missing: 255)
    }

    /// Throws the error that stopped the encoder.
    static func check(_ isDone: Bool, _ code: WebPEncodingError) throws {
        if isDone { return }
        switch code {
        case VP8_ENC_ERROR_USER_ABORT: throw CancellationError()
        case VP8_ENC_ERROR_OUT_OF_MEMORY, VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY: throw WebPCoder.noMemory
        default: throw ImageError(code: .tooLarge, message: "webp: the encoder gave up with status \(code.rawValue).")
        }
    }
}
