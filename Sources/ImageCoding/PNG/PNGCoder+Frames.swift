// SPDX-License-Identifier: MIT
import CImageShims

extension PNGCoder {
    /// The animation of a file, `nil` for a still picture.
    static func animation(
        of bytes: [UInt8], _ header: PNGHeader, _ options: DecodeOptions, _ work: DecodingWork
    ) throws -> PNGAnimation? {
        guard header.isAnimated else { return nil }
        let animation = try PNGAnimation(
            bytes, canvas: header.size, frameLimit: options.frameLimit(bytes), work: work)
        guard let animation, animation.frames.isEmpty else { return animation }
        // The bytes end in the first frame.
        if options.failOn == .never { return nil }
        throw ImageError(code: .truncated, message: "The PNG ends early.", byteOffset: bytes.count)
    }

    /// Decodes the wanted frames, or leaves those after the first to a source.
    static func decode(
        _ animation: PNGAnimation, _ bytes: [UInt8], _ header: PNGHeader, _ plan: FramePlan, _ options: DecodeOptions,
        _ work: DecodingWork
    ) throws -> DecodedImage {
        let frames = animation.frames
        let count = options.frames.count(of: frames.count)
        try options.limits.check(
            header.size, frames: count, onDemand: options.framesOnDemand, whole: "An animation")
        let byteCount = decodingByteCount(animation, header, plan, options)
        try options.limits.check(byteCount: byteCount)
        let mayBecomeClear = frames.contains { $0.disposal == .clear || !$0.isBlended && header.hasAlpha }
        let found = FoundFrames(
            durations: frames.map { FrameTiming.duration(milliseconds: $0.milliseconds) },
            loopCount: animation.loopCount,
            mayBecomeClear: mayBecomeClear || frames[0].disposal != .keep || options.failOn == .never,
            damage: try damage(of: animation, bytes, options), size: header.size,
            covers: frames.map {
                FrameCover(
                    isWhole: $0.rect.size == header.size, isOpaque: !$0.isBlended || !header.hasAlpha,
                    disposal: $0.disposal)
            })
        return try found.composed(plan, options, file: bytes, work) { canvas, index, work in
            let frame = frames[index]
            let file = try frame.file(bytes, palette: animation.palette, checks: options.failOn != .never)
            let drawn = try unsafe Bitmap.draw(frame.rect.size) { output in
                _ = try unsafe Shim.draw(.png, file, frame.rect.size, to: output, nil, options, work, swi_png_decode)
            }
            try canvas.begin(frame.rect, frame.disposal, work)
            try canvas.draw(drawn, in: frame.rect, isBlended: frame.isBlended, work)
            return []
        }
    }

    /// The damage of a file that ends early.
    ///
    /// - Throws: `.truncated`, as the policy says.
    private static func damage(
        of animation: PNGAnimation, _ bytes: [UInt8], _ options: DecodeOptions
    ) throws(ImageError) -> ImageDamage {
        if animation.isComplete || animation.frames.count >= options.frameLimit(bytes) { return [] }
        let lacksFrames = animation.frames.count < animation.announcedCount
        guard options.failOn == .never || options.failOn == .truncated && !lacksFrames else {
            throw ImageError(code: .truncated, message: "The PNG ends early.", byteOffset: bytes.count)
        }
        return lacksFrames ? [.missingEnd, .missingPixels] : .missingEnd
    }

    /// The canvas, a frame and what is below it, a frame's file, and every frame kept.
    static func decodingByteCount(
        _ animation: PNGAnimation, _ header: PNGHeader, _ plan: FramePlan, _ options: DecodeOptions
    ) -> Int {
        let largest = animation.frames.map(\.byteCount).max() ?? 0
        let count = options.framesOnDemand ? 1 : options.frames.count(of: animation.frames.count)
        let kept = plan.result.bitmapByteCount.saturatingMultiply(count)
        return decodingByteCount(header, plan, isFrame: true)
            .saturatingAdd(header.size.bitmapByteCount.saturatingMultiply(2))
            .saturatingAdd(largest).saturatingAdd(kept)
    }
}
