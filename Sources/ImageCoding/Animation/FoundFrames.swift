// SPDX-License-Identifier: MIT
/// What a decoder found in the file of an animation.
struct FoundFrames {
    /// How long each frame is shown, at least one, from the first one of the file to the last one that is wanted.
    var durations: [Duration]
    /// How often the animation is played; 0 forever.
    var loopCount: Int
    /// Whether a pixel that is opaque in one frame may be transparent in a later one.
    var mayBecomeClear: Bool
    var damage: ImageDamage
    /// The size of the canvas.
    var size: PixelSize
    /// What each frame does to the canvas.
    var covers: [FrameCover]

    /// Composes the wanted frames or, on demand, the first of them, and leaves the others to a source.
    ///
    /// - Parameters:
    ///   - file: The bytes of the file.
    func composed(
        _ plan: FramePlan, _ options: DecodeOptions, file: [UInt8], _ work: DecodingWork,
        _ draw: @escaping ComposedFrames.Drawing
    ) throws -> DecodedImage {
        let run = try options.frames.clamped(to: durations.count)
        if options.framesOnDemand, run.count > 1 {
            let source = ComposedFrames(self, run, plan, options, fileByteCount: file.count, draw)
            let first = try source.draw(0, work)
            return DecodedImage(
                plan.result, .onDemand(first.pixels, source), loopCount: loopCount,
                hasAlpha: mayBecomeClear || !Bitmap.isOpaque(first.pixels), damage: damage.union(first.damage))
        }
        var (canvas, frames, hasAlpha) = (FrameCanvas(size: size), [DecodedImage.Frame](), false)
        var damage = damage
        let resampler = plan.resampler()
        for index in FrameCover.keyframes(covers, isSafe: options.failOn != .never)[run.lowerBound]..<run.upperBound {
            let found: ImageDamage
            do {
                found = try draw(&canvas, index, work)
            } catch let error as ImageError
                where options.failOn == .never && error.isDamage && index > run.lowerBound
            {
                damage.formUnion([.missingPixels, .corruptData])
                break
            }
            guard index >= run.lowerBound else { continue }
            hasAlpha = hasAlpha || !Bitmap.isOpaque(canvas.pixels)
            canvas.isShared = resampler == nil
            let pixels = try work.excluding { try plan.finish(canvas.pixels, resampler) }
            frames.append(DecodedImage.Frame(pixels: pixels, duration: durations[index]))
            damage.formUnion(found)
            if !found.isEmpty { break }
        }
        // One frame is a still picture.
        if frames.count == 1 { frames = [DecodedImage.Frame(pixels: frames[0].pixels)] }
        return DecodedImage(
            plan.result, .held(frames), loopCount: frames.count == 1 ? 0 : loopCount, hasAlpha: hasAlpha,
            damage: damage)
    }
}

/// What a frame does to the canvas.
struct FrameCover {
    /// Whether its place is the whole canvas.
    let isWhole: Bool
    /// Whether it replaces every pixel of its place.
    let isOpaque: Bool
    let disposal: FrameCanvas.Disposal

    /// For each frame the last one, up to itself, that can be drawn on an empty canvas.
    ///
    /// - Parameter isSafe: Whether frames are whole. Of a damaged one, rows may show what is below.
    static func keyframes(_ covers: [FrameCover], isSafe: Bool) -> [Int] {
        guard isSafe else { return covers.map { _ in 0 } }
        var (keyframes, isCleared, last) = ([Int](), true, 0)
        for (index, cover) in covers.enumerated() {
            // What a frame hides is needed again if it is to be restored.
            if isCleared || cover.isWhole && cover.isOpaque && cover.disposal != .restore { last = index }
            isCleared = cover.isWhole && cover.disposal == .clear
            keyframes.append(last)
        }
        return keyframes
    }
}
