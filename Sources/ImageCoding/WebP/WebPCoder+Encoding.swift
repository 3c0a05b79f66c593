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
        try image.checkSides(atMost: 16_383, of: "A WebP")
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

/// Writes animations with libwebp's animation encoder, which stores only the changes between frames.
enum WebPAnimationWriter {
    /// Encodes all frames of a picture.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    static func encode(_ image: DecodedImage, config: WebPConfig) throws -> [UInt8] {
        var options = WebPAnimEncoderOptions()
        guard unsafe WebPAnimEncoderOptionsInit(&options) != 0 else { throw WebPCoder.wrongLibrary }
        options.anim_params.loop_count = Int32(min(image.loopCount, 65_535))
        guard let encoder = unsafe WebPAnimEncoderNew(Int32(image.width), Int32(image.height), &options) else {
            throw WebPCoder.noMemory
        }
        defer { unsafe WebPAnimEncoderDelete(encoder) }
        var config = config
        var start = 0
        try image.forEachFrame { _, frame in
            try unsafe WebPPicture.withPicture(frame.pixels, of: image, inARGB: true) { picture in
                let isDone = unsafe WebPAnimEncoderAdd(encoder, picture, Int32(clamping: start), &config) != 0
                try unsafe WebPPicture.check(isDone, picture.pointee.error_code)
            }
            // The duration of a frame has 24 bits of milliseconds and is at least one.
            start += min(max(1, FrameTiming.milliseconds(frame.duration)), 0xFF_FFFF)
        }
        guard unsafe WebPAnimEncoderAdd(encoder, nil, Int32(clamping: start), nil) != 0 else {
            throw ImageError(code: .tooLarge, message: "webp: the animation's end could not be written.")
        }
        var data = unsafe WebPData()
        unsafe WebPDataInit(&data)
        defer { unsafe WebPDataClear(&data) }
        guard unsafe WebPAnimEncoderAssemble(encoder, &data) != 0 else { throw WebPCoder.noMemory }
        return unsafe [UInt8](UnsafeBufferPointer(start: data.bytes, count: data.size))
    }
}
