extension WebPCoder {
    /// Decodes a WebP.
    ///
    /// A still picture that does not fit ``ImageLimits/maximumByteCount`` is drawn at a half, a quarter or an eighth
    /// when a thumbnail is requested, with at least twice the requested pixels.
    ///
    /// **Cancellation**: checked every 64 KiB of a picture and between frames. A frame of one colour takes a few bytes,
    /// so a cancelled task may wait for one frame within the limits.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        try decode(bytes, options, DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let outline = try WebPOutline(bytes, maximumMetadataByteCount: limits.maximumMetadataByteCount, work: work)
        let frameCount = options.firstFrameOnly ? 1 : outline.frameCount
        try limits.check(width: outline.size.width, height: outline.size.height, frames: frameCount)
        guard outline.isComplete else {
            throw ImageError(code: .truncated, message: "The WebP ends early.", byteOffset: bytes.count)
        }
        let (plan, byteCount) = try WebPCoder.plan(for: outline, of: bytes, options, work)
        try limits.check(byteCount: byteCount)
        if outline.isAnimated {
            return try WebPCoder.decodeAnimation(bytes, outline, plan, frameCount: frameCount, work)
        }
        guard let bitstream = outline.bitstream else {
            throw ImageError(code: .malformed, message: "The WebP has no picture.", byteOffset: 12)
        }
        var hasAlpha = false
        let pixels = try unsafe Bitmap.draw(plan.bitmap) { output in
            try unsafe bitstream.draw(
                bytes, size: outline.size, as: plan.drawn, to: output, stride: plan.drawn.width * 4, work: work)
            if bitstream.mayHaveAlpha { hasAlpha = try unsafe Bitmap.premultiply(output, work) }
        }
        let frame = DecodedImage.Frame(pixels: try plan.finish(pixels, plan.resampler()))
        return DecodedImage(checked: plan.result.width, plan.result.height, frames: [frame], hasAlpha: hasAlpha)
    }

    private static func decodeAnimation(
        _ bytes: [UInt8], _ outline: WebPOutline, _ plan: FramePlan, frameCount: Int, _ work: DecodingWork
    ) throws -> DecodedImage {
        let resampler = plan.resampler()
        var canvas = WebPCanvas(size: outline.size)
        var frames = [DecodedImage.Frame]()
        var hasAlpha = false
        var chunks = outline.chunks(of: bytes, work: work)
        while frames.count < frameCount, let chunk = try chunks.next() {
            guard chunk.type == WebPChunks.frame, chunk.isWhole else { continue }
            let frame = try WebPFrame(chunk.payload, of: bytes, on: outline.size, work: work)
            try canvas.draw(frame, of: bytes, work: work)
            hasAlpha = hasAlpha || !Bitmap.isOpaque(canvas.pixels)
            let pixels = try work.excluding { try plan.finish(canvas.pixels, resampler) }
            let duration = frameCount == 1 ? .zero : FrameTiming.duration(milliseconds: frame.duration)
            frames.append(DecodedImage.Frame(pixels: pixels, duration: duration))
        }
        guard frames.count == frameCount, frameCount > 0 else {
            throw ImageError(
                code: .malformed, message: "The WebP has \(frames.count) of the \(frameCount) frames it announces.")
        }
        return DecodedImage(
            checked: plan.result.width, plan.result.height, frames: frames,
            loopCount: frameCount == 1 ? 0 : outline.loopCount, hasAlpha: hasAlpha)
    }

    /// The headers and the library loaded at run time have different interfaces.
    static let wrongLibrary = ImageError(
        code: .unsupportedFormat, message: "webp: the library has another version than its headers.")
    static let noMemory = ImageError(code: .outOfMemory, message: "webp: out of memory.")
}
