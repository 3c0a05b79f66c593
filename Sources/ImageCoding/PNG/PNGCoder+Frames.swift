// SPDX-License-Identifier: MIT
extension PNGCoder {
    /// The animation of a file, `nil` for a still picture.
    static func animation(
        of bytes: [UInt8], _ header: PNGHeader, _ options: DecodeOptions, _ work: DecodingWork
    ) throws -> PNGAnimation? {
        guard header.isAnimated else { return nil }
        // One more than the limit, to notice too many.
        let most = options.firstFrameOnly ? 1 : max(1, min(options.limits.maximumFrameCount, bytes.count)) + 1
        let animation = try PNGAnimation(bytes, canvas: header.size, frameLimit: most, work: work)
        guard let animation, animation.frames.isEmpty else { return animation }
        // The bytes end in the first frame.
        if options.failOn == .never { return nil }
        throw ImageError(code: .truncated, message: "The PNG ends early.", byteOffset: bytes.count)
    }

    /// Decodes all frames, the first one, or leaves those after the first to a source.
    static func decode(
        _ animation: PNGAnimation, _ bytes: [UInt8], _ header: PNGHeader, _ plan: FramePlan, _ options: DecodeOptions,
        _ work: DecodingWork
    ) throws -> DecodedImage {
        let (frames, limits) = (animation.frames, options.limits)
        let onDemand = options.framesOnDemand && frames.count > 1
        try limits.check(
            width: header.size.width, height: header.size.height, frames: frames.count, onDemand: onDemand)
        let byteCount = decodingByteCount(animation, header, plan, onDemand: onDemand)
        try limits.check(byteCount: byteCount)
        let damage = try damage(of: animation, bytes, options)
        let draw: @Sendable (inout PNGCanvas, Int, DecodingWork) throws -> Void = { [failOn = options.failOn] in
            let frame = frames[$1]
            let file = try frame.file(bytes, palette: animation.palette, checks: failOn != .never)
            let work = $2
            let drawn = try unsafe Bitmap.draw(frame.size) { output in
                _ = try unsafe PNGCoder.draw(file, frame.size, to: output, nil, failOn, work)
            }
            try $0.draw(frame, drawn, work: work)
        }
        let durations = frames.map { FrameTiming.duration(milliseconds: $0.milliseconds) }
        if onDemand {
            let source = ComposedFrames(
                durations: durations, byteCount: bytes.count.saturatingAdd(byteCount), plan: plan,
                empty: PNGCanvas(size: header.size)
            ) { try draw(&$0, $1, DecodingWork(limits: limits, byteCount: bytes.count)) }
            return DecodedImage(
                plan.result, .onDemand(try source.pixels(at: 0), source), loopCount: animation.loopCount,
                hasAlpha: true, damage: damage)
        }
        var canvas = PNGCanvas(size: header.size)
        let resampler = plan.resampler()
        var hasAlpha = false
        let isStill = frames.count == 1
        var (held, found) = ([DecodedImage.Frame](), damage)
        for index in frames.indices {
            do {
                try draw(&canvas, index, work)
            } catch let error as ImageError where options.failOn == .never && error.isDamage && index > 0 {
                found.formUnion([.missingPixels, .corruptData])
                break
            }
            hasAlpha = hasAlpha || !Bitmap.isOpaque(canvas.pixels)
            let pixels = try work.excluding { try plan.finish(canvas.pixels, resampler) }
            held.append(DecodedImage.Frame(pixels: pixels, duration: isStill ? .zero : durations[index]))
        }
        return DecodedImage(
            plan.result, .held(held), loopCount: isStill ? 0 : animation.loopCount, hasAlpha: hasAlpha, damage: found)
    }

    /// The damage of a file that ends early.
    ///
    /// - Throws: `.truncated`, as the policy says.
    private static func damage(
        of animation: PNGAnimation, _ bytes: [UInt8], _ options: DecodeOptions
    ) throws(ImageError) -> ImageDamage {
        if animation.isComplete || options.firstFrameOnly || animation.frames.count > options.limits.maximumFrameCount {
            return []
        }
        let lacksFrames = animation.frames.count < animation.announcedCount
        guard options.failOn == .never || options.failOn == .truncated && !lacksFrames else {
            throw ImageError(code: .truncated, message: "The PNG ends early.", byteOffset: bytes.count)
        }
        return lacksFrames ? [.missingEnd, .missingPixels] : .missingEnd
    }

    /// The canvas, a frame and what is below it, a frame's file, and every frame kept.
    static func decodingByteCount(
        _ animation: PNGAnimation, _ header: PNGHeader, _ plan: FramePlan, onDemand: Bool
    ) -> Int {
        let largest = animation.frames.map(\.byteCount).max() ?? 0
        let kept = plan.result.bitmapByteCount.saturatingMultiply(onDemand ? 1 : animation.frames.count)
        return decodingByteCount(header, plan, isFrame: true)
            .saturatingAdd(header.size.bitmapByteCount.saturatingMultiply(2))
            .saturatingAdd(largest).saturatingAdd(kept)
    }
}
