extension WebPCoder {
    /// A still picture: the bitmap, libwebp's copy where it needs one, and what the ``FramePlan`` adds.
    ///
    /// An animation: libwebp's two canvases, the largest frame, and every frame that is kept, as large as the thumbnail if
    /// one is asked for.
    public func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let outline = try WebPOutline(bytes, maximumMetadataByteCount: options.limits.maximumMetadataByteCount)
        let frames = options.firstFrameOnly ? 1 : outline.frameCount
        let plan = WebPCoder.plan(for: outline, thumbnail: options.thumbnail)
        return WebPCoder.decodingByteCount(outline, plan, frameCount: frames)
    }

    static func decodingByteCount(_ outline: WebPOutline, _ plan: FramePlan, frameCount: Int) -> Int {
        let screen = plan.drawn.bitmapByteCount
        let drawn =
            outline.isAnimated
            ? screen.saturatingMultiply(3).saturatingAdd(plan.result.bitmapByteCount.saturatingMultiply(frameCount))
            : screen
        return drawn.saturatingAdd(outline.codecByteCount).saturatingAdd(plan.finishingByteCount)
    }

    /// The pixels without premultiplication, libwebp's picture, its search for repetitions, and the file twice.
    public func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let isAnimated = image.isAnimated && !format.options.firstFrameOnly
        let frames = isAnimated ? image.frames.count : 1
        // Lossless coding, of alpha too, keeps the pixels, a hash chain and several lists of references to it.
        let isLossless = format.options.isLossless || image.hasAlpha
        let codec = isLossless ? 48 : 8
        // An animation keeps four canvases beside the frame, and tries each frame in two ways.
        let perPixel = 8 + codec + (isAnimated ? 16 + codec : 0)
        let file = image.size.bitmapByteCount.saturatingMultiply(frames).saturatingMultiply(2)
        return image.size.pixelCount.saturatingMultiply(perPixel).saturatingAdd(file).saturatingAdd(1 << 20)
    }
}
