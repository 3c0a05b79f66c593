// SPDX-License-Identifier: MIT
import CImageShims

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
        let frames = animation.frames
        let onDemand = options.framesOnDemand && frames.count > 1
        try options.limits.check(header.size, frames: frames.count, onDemand: onDemand, whole: "An animation")
        let byteCount = decodingByteCount(animation, header, plan, onDemand: onDemand)
        try options.limits.check(byteCount: byteCount)
        let found = FoundFrames(
            durations: frames.map { FrameTiming.duration(milliseconds: $0.milliseconds) },
            loopCount: animation.loopCount, mayBeClear: true, damage: try damage(of: animation, bytes, options),
            size: header.size)
        return try found.composed(plan, options, file: bytes, byteCount: byteCount, work) { canvas, index, work in
            let frame = frames[index]
            let file = try frame.file(bytes, palette: animation.palette, checks: options.failOn != .never)
            let drawn = try unsafe Bitmap.draw(frame.rect.size) { output in
                _ = try unsafe Shim.draw(.png, file, frame.rect.size, to: output, nil, options, work, swi_png_decode)
            }
            try canvas.begin(frame.rect, frame.disposal, work)
            try canvas.draw(drawn, in: frame.rect, isBlended: frame.isBlended, work)
        }
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
