import CLibgif

extension GIFCoder {
    /// Decodes a GIF.
    ///
    /// Limits hold for the frames' own sizes too, as a frame may be larger than the screen it is clipped to.
    ///
    /// **Cancellation**: Asked every 64 rows.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        let limits = options.limits
        let wanted = options.firstFrameOnly ? 1 : Int.max
        // One beyond the limit, to see that there are more; no file has so many that this could overflow.
        let frameLimit = options.firstFrameOnly ? 1 : min(limits.maximumFrameCount, bytes.count) + 1
        let outline = try GIFOutline(bytes, frameLimit: frameLimit)
        try limits.check(width: outline.size.width, height: outline.size.height, frames: outline.frameCount)
        guard outline.largestFrame <= limits.maximumPixelCount, outline.framePixels <= limits.maximumAnimationPixelCount
        else {
            throw ImageError(.tooLarge, "The GIF's frames have \(outline.framePixels) pixels together.")
        }
        let plan = FramePlan(stored: outline.size, orientation: .up, thumbnail: options.thumbnail)
        var frames = [DecodedImage.Frame]()
        var hasAlpha = false
        try GIFReader.read(bytes, on: outline.size) { canvas, milliseconds in
            hasAlpha = hasAlpha || !Bitmap.isOpaque(canvas)
            frames.append(
                DecodedImage.Frame(
                    pixels: try plan.finish(canvas), duration: FrameTiming.duration(milliseconds: milliseconds)))
            return frames.count < wanted
        }
        guard let first = frames.first else { throw ImageError(.malformed, "The GIF has no frame.") }
        if frames.count == 1 { frames = [DecodedImage.Frame(pixels: first.pixels)] }
        return DecodedImage(
            checked: plan.result.width, plan.result.height, frames: frames,
            loopCount: frames.count == 1 ? 0 : outline.loopCount, hasAlpha: hasAlpha)
    }
}
