import CLibwebp

extension WebPCoder {
    /// Decodes a WebP.
    ///
    /// **Cancellation**: Asked every 64 KiB of a still picture and between the frames of an animation.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        let limits = options.limits
        let outline = try WebPOutline(bytes, maximumMetadataByteCount: limits.maximumMetadataByteCount)
        let frameCount = options.firstFrameOnly ? 1 : outline.frameCount
        try limits.check(width: outline.size.width, height: outline.size.height, frames: frameCount)
        guard outline.isComplete else {
            throw ImageError(.truncated, "The WebP ends early.", byteOffset: bytes.count)
        }
        let plan = WebPCoder.plan(for: outline, thumbnail: options.thumbnail)
        try limits.check(byteCount: WebPCoder.decodingByteCount(outline, plan, frameCount: frameCount))
        if outline.isAnimated {
            return try WebPCoder.decodeAnimation(bytes, plan: plan, frameCount: frameCount, loop: outline.loopCount)
        }
        var hasAlpha = false
        let pixels = try unsafe Bitmap.draw(plan.drawn) { output in
            try unsafe WebPCoder.draw(bytes, width: outline.size.width, to: output)
            if outline.hasAlpha { hasAlpha = unsafe Bitmap.premultiply(output) }
        }
        let frame = DecodedImage.Frame(pixels: try plan.finish(pixels, plan.resampler()))
        return DecodedImage(checked: plan.result.width, plan.result.height, frames: [frame], hasAlpha: hasAlpha)
    }

    static func plan(for outline: WebPOutline, thumbnail: PixelSize?) -> FramePlan {
        FramePlan(stored: outline.size, orientation: outline.orientation, thumbnail: thumbnail)
    }

    /// Draws a still picture, not premultiplied, handing the bytes over piece by piece.
    private static func draw(_ bytes: [UInt8], width: Int, to output: UnsafeMutableBufferPointer<UInt8>) throws {
        var config = unsafe WebPDecoderConfig()
        guard unsafe WebPInitDecoderConfig(&config) != 0 else { throw WebPCoder.wrongLibrary }
        unsafe config.output.colorspace = MODE_RGBA
        unsafe config.output.is_external_memory = 1
        unsafe config.output.u.RGBA.rgba = output.baseAddress
        unsafe config.output.u.RGBA.stride = Int32(width * 4)
        unsafe config.output.u.RGBA.size = output.count
        // The decoder keeps the address of the configuration and of the bytes until it is deleted.
        try unsafe withUnsafeMutablePointer(to: &config) { config in
            try unsafe bytes.withUnsafeBufferPointer { input in
                guard let decoder = unsafe WebPIDecode(nil, 0, config) else { throw WebPCoder.noMemory }
                defer { unsafe WebPIDelete(decoder) }
                var fed = 0
                var status = VP8_STATUS_SUSPENDED
                while status == VP8_STATUS_SUSPENDED {
                    guard fed < input.count else { throw ImageError(.truncated, "The WebP ends early.") }
                    try Task.checkCancellation()
                    fed = min(fed + 65_536, input.count)
                    status = unsafe WebPIUpdate(decoder, input.baseAddress, fed)
                }
                if status == VP8_STATUS_OUT_OF_MEMORY { throw WebPCoder.noMemory }
                guard status == VP8_STATUS_OK else { throw ImageError(.malformed, "The WebP's data is broken.") }
            }
        }
    }

    private static func decodeAnimation(
        _ bytes: [UInt8], plan: FramePlan, frameCount: Int, loop: Int
    ) throws -> DecodedImage {
        let resampler = plan.resampler()
        var frames = [DecodedImage.Frame]()
        var hasAlpha = false
        try unsafe bytes.withUnsafeBufferPointer { input in
            var options = WebPAnimDecoderOptions()
            guard unsafe WebPAnimDecoderOptionsInit(&options) != 0 else { throw WebPCoder.wrongLibrary }
            options.color_mode = MODE_RGBA
            options.use_threads = 0
            var data = unsafe WebPData(bytes: input.baseAddress, size: input.count)
            guard let decoder = unsafe WebPAnimDecoderNew(&data, &options) else {
                throw ImageError(.malformed, "The WebP's animation is broken.")
            }
            defer { unsafe WebPAnimDecoderDelete(decoder) }
            var shownUntil: Int32 = 0
            while frames.count < frameCount, unsafe WebPAnimDecoderHasMoreFrames(decoder) != 0 {
                try Task.checkCancellation()
                var canvas: UnsafeMutablePointer<UInt8>?
                var until: Int32 = 0
                guard unsafe WebPAnimDecoderGetNext(decoder, &canvas, &until) != 0, let canvas = unsafe canvas else {
                    throw ImageError(.malformed, "Frame \(frames.count) of the WebP is broken.")
                }
                let pixels = try unsafe Bitmap.draw(plan.drawn) { output in
                    _ = unsafe output.update(from: UnsafeBufferPointer(start: canvas, count: output.count))
                    if unsafe Bitmap.premultiply(output) { hasAlpha = true }
                }
                let milliseconds = Int(until) - Int(shownUntil)
                let duration = frameCount == 1 ? .zero : FrameTiming.duration(milliseconds: milliseconds)
                frames.append(DecodedImage.Frame(pixels: try plan.finish(pixels, resampler), duration: duration))
                shownUntil = until
            }
        }
        guard frames.count == frameCount, frameCount > 0 else {
            throw ImageError(.malformed, "The WebP has \(frames.count) of the \(frameCount) frames it announces.")
        }
        return DecodedImage(
            checked: plan.result.width, plan.result.height, frames: frames, loopCount: frameCount == 1 ? 0 : loop,
            hasAlpha: hasAlpha)
    }

    /// The headers and the library loaded at run time have different interfaces.
    static let wrongLibrary = ImageError(.unsupportedFormat, "webp: the library has another version than its headers.")
    static let noMemory = ImageError(.outOfMemory, "webp: out of memory.")
}
