import CLibwebp

extension WebPCoder {
    /// Encodes all frames, lossy or lossless.
    ///
    /// Alpha is kept exactly either way.
    ///
    /// **Cancellation**: checked by libwebp during a frame, and between frames.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 16,383 pixels a side; `CancellationError`.
    public func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
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
        return try unsafe WebPPicture.withPicture(image.pixels, of: image) { picture in
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

extension WebPPicture {
    /// Runs `body` with a picture of the pixels of one frame, which checks for cancellation during encoding.
    static func withPicture<Result>(
        _ pixels: [UInt8], of image: DecodedImage, _ body: (UnsafeMutablePointer<WebPPicture>) throws -> Result
    ) throws -> Result {
        var picture = unsafe WebPPicture()
        guard unsafe WebPPictureInit(&picture) != 0 else { throw WebPCoder.wrongLibrary }
        defer { unsafe WebPPictureFree(&picture) }
        unsafe picture.use_argb = 1
        unsafe picture.width = Int32(image.width)
        unsafe picture.height = Int32(image.height)
        unsafe picture.progress_hook = { _, _ in Task.isCancelled ? 0 : 1 }
        let stride = Int32(image.width * 4)
        let isImported =
            if image.hasAlpha {
                try unsafe WebPPictureImportRGBA(&picture, Bitmap.unpremultiplied(pixels), stride) != 0
            } else {
                unsafe WebPPictureImportRGBX(&picture, pixels, stride) != 0
            }
        guard isImported else { throw WebPCoder.noMemory }
        return try unsafe withUnsafeMutablePointer(to: &picture) { try unsafe body($0) }
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
