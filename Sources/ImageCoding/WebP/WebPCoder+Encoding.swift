// SPDX-License-Identifier: MIT
import CLibwebp

extension WebPCoder {
    /// Encodes all frames, lossy or lossless.
    ///
    /// Alpha is kept exactly either way.
    ///
    /// **Cancellation**: checked by libwebp during a frame, and between frames: a lossy frame of 12 megapixels usually
    /// ends within 35 ms, and within a quarter of a second where libwebp works without a pause. It compresses the alpha
    /// of a lossy frame in one step, and a lossless frame in few.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 16,383 pixels a side; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard image.width <= 16_383, image.height <= 16_383 else {
            throw ImageError(
                code: .tooLarge, message: "A WebP holds 16383 pixels a side, the picture is \(image.size).")
        }
        var config = WebPConfig()
        let quality = Float(format.options.quality)
        guard unsafe WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, quality) != 0 else { throw WebPCoder.wrongLibrary }
        config.method = Int32(format.options.effort)
        if format.options.isLossless {
            config.near_lossless = Int32(format.options.nearLossless)
            config.lossless = 1
            // In lossless mode it means effort; 75 is libwebp's default.
            config.quality = 75
        }
        if image.isAnimated, !format.options.firstFrameOnly {
            return try WebPAnimationWriter.encode(image, config: config)
        }
        let isLossless = format.options.isLossless
        return try unsafe WebPPicture.withPicture(image.pixels, of: image, inARGB: isLossless) { picture in
            var memory = unsafe WebPMemoryWriter()
            unsafe WebPMemoryWriterInit(&memory)
            defer { unsafe WebPMemoryWriterClear(&memory) }
            try unsafe withUnsafeMutablePointer(to: &memory) { memory in
                unsafe picture.pointee.writer = WebPMemoryWrite
                unsafe picture.pointee.custom_ptr = UnsafeMutableRawPointer(memory)
                let isDone = unsafe WebPEncode(&config, picture) != 0
                try unsafe WebPPicture.check(isDone, picture.pointee.error_code)
            }
            return unsafe [UInt8](UnsafeBufferPointer(start: memory.mem, count: memory.size))
        }
    }
}
