// SPDX-License-Identifier: MIT
import CLibgif

extension GIFCoder {
    /// Decodes a GIF.
    ///
    /// A file without its end is an error if a frame is incomplete, unless ``DecodeOptions/failOn`` is
    /// ``DamagePolicy/never``: then the missing pixels show what was below them. A file that ends after a frame is a
    /// picture, and it is not known whether more frames were to follow.
    ///
    /// The limits apply to the frames' own sizes too, because a frame may be larger than the screen.
    ///
    /// **Cancellation**: checked every 65,536 pixels and every kilobyte of the file.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let wanted = options.firstFrameOnly ? 1 : Int.max
        let outline = try GIFCoder.outline(of: bytes, options, work)
        let onDemand = options.framesOnDemand && outline.frameCount > 1
        let plan = FramePlan(outline.size, options)
        let drawsRows = GIFCoder.drawsRows(outline, plan, wanted)
        if drawsRows {
            try plan.check(outline.size, limits)
        } else {
            try limits.check(outline.size, frames: outline.frameCount, onDemand: onDemand)
            guard outline.largestFrame <= limits.maximumPixelCount,
                onDemand || outline.framePixels <= limits.maximumAnimationPixelCount
            else {
                throw ImageError(
                    code: .tooLarge, message: "The GIF's frames have \(outline.framePixels) pixels together.")
            }
        }
        let byteCount = GIFCoder.decodingByteCount(outline, plan, wanted, onDemand: onDemand)
        try limits.check(byteCount: byteCount)
        if onDemand {
            return try outline.found(options.failOn, bytes).composed(
                plan, options, file: bytes, byteCount: byteCount, work
            ) { [places = outline.places, length = outline.headerLength] canvas, index, work in
                _ = try GIFReader.read(
                    bytes, headerLength: length, from: places[index].start, on: &canvas, failOn: .anyDamage, work: work
                ) { _, _ in false }
            }
        }
        var canvas = FrameCanvas(size: outline.size)
        if drawsRows {
            return try unsafe plan.draw(work, premultiplies: true) { _, rows in
                guard let rows else { return [] }
                var isRead = false
                return try GIFReader.read(
                    bytes, on: &canvas, rows: GIFRows(rows, size: outline.size), failOn: options.failOn, work: work
                ) { _, _ in
                    // To the end of the file, to find damage.
                    defer { isRead = true }
                    return wanted > 1 && !isRead
                }
            }
        }
        let resampler = plan.resampler()
        var frames = [DecodedImage.Frame]()
        var hasAlpha = false
        let damage = try GIFReader.read(bytes, on: &canvas, failOn: options.failOn, work: work) { pixels, time in
            hasAlpha = hasAlpha || !Bitmap.isOpaque(pixels)
            let pixels = try work.excluding { try plan.finish(pixels, resampler) }
            frames.append(DecodedImage.Frame(pixels: pixels, duration: FrameTiming.duration(milliseconds: time)))
            return frames.count < wanted
        }
        if frames.count == 1 { frames = [DecodedImage.Frame(pixels: frames[0].pixels)] }
        return DecodedImage(
            plan.result, .held(frames), loopCount: frames.count == 1 ? 0 : outline.loopCount, hasAlpha: hasAlpha,
            damage: damage)
    }

    /// Reads the blocks as far as they are needed to decode.
    static func outline(of bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> GIFOutline {
        try outline(
            of: bytes, frameLimit: options.gifFrameLimit(bytes), recordsPlaces: options.framesOnDemand, work: work)
    }

    /// Reads the blocks as far as they are needed.
    static func outline(
        of bytes: [UInt8], frameLimit: Int, recordsPlaces: Bool = false, work: DecodingWork
    ) throws -> GIFOutline {
        let outline = try GIFOutline(bytes, frameLimit: frameLimit, recordsPlaces: recordsPlaces, work: work)
        guard outline.size.width > 0, outline.size.height > 0 else {
            throw ImageError(code: .malformed, message: "The GIF's screen is \(outline.size) pixels.", byteOffset: 6)
        }
        return outline
    }

    /// Whether the one frame that is wanted goes row by row into the resampler, without a screen.
    static func drawsRows(_ outline: GIFOutline, _ plan: FramePlan, _ wanted: Int) -> Bool {
        plan.isResampled && min(outline.frameCount, wanted) == 1
    }
}

extension GIFOutline {
    /// The frames that are there, each with its delay, for composing them on demand.
    ///
    /// - Throws: `.truncated`, as the policy says.
    fileprivate func found(_ failOn: DamagePolicy, _ bytes: [UInt8]) throws(ImageError) -> FoundFrames {
        var durations = places.map { FrameTiming.duration(milliseconds: $0.milliseconds) }
        var damage: ImageDamage = []
        if !isComplete {
            guard failOn == .never || failOn == .truncated && !endsInFrame else {
                throw ImageError(code: .truncated, message: "The GIF ends early.", byteOffset: bytes.count)
            }
            damage = endsInFrame ? [.missingEnd, .missingPixels] : .missingEnd
            if endsInFrame { durations.removeLast() }
        }
        return FoundFrames(
            durations: durations, loopCount: loopCount, mayBeClear: hasAlpha || clearsFrames, damage: damage, size: size
        )
    }
}

extension DecodeOptions {
    /// The number of frames to look for: one more than the limit, to notice too many, and at least two, to recognise an
    /// animation.
    func gifFrameLimit(_ bytes: [UInt8]) -> Int {
        // The number of bytes bounds it, so it cannot overflow.
        firstFrameOnly ? 1 : max(1, min(limits.maximumFrameCount, bytes.count)) + 1
    }
}
