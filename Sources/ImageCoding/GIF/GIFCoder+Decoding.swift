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
        let outline = try GIFCoder.outline(of: bytes, options, work)
        let run = try options.frames.clamped(to: max(outline.frameCount, 1))
        let onDemand = options.framesOnDemand && run.count > 1
        let plan = FramePlan(outline.size, options)
        let drawsRows = GIFCoder.drawsRows(plan, run)
        if drawsRows {
            try plan.check(outline.size, limits)
        } else {
            try limits.check(outline.size, frames: run.count, onDemand: onDemand)
            let pixelCount = outline.places[run.clamped(to: outline.places.indices)].reduce(0) { $0 + $1.pixelCount }
            guard outline.largestFrame <= limits.maximumPixelCount,
                onDemand || pixelCount <= limits.maximumAnimationPixelCount
            else {
                throw ImageError(code: .tooLarge, message: "The GIF's frames have \(pixelCount) pixels together.")
            }
        }
        let byteCount = GIFCoder.decodingByteCount(outline, plan, run, onDemand: onDemand)
        try limits.check(byteCount: byteCount)
        let found = try outline.found(options, bytes)
        let (places, length) = (outline.places, outline.headerLength)
        if drawsRows {
            return try unsafe plan.draw(work, premultiplies: true) { _, rows in
                var canvas = FrameCanvas(size: outline.size)
                return try GIFReader.draw(
                    bytes, headerLength: length, from: places[0].start, on: &canvas,
                    rows: rows.map { GIFRows($0, size: outline.size) }, failOn: options.failOn, work: work
                ).union(found.damage)
            }
        }
        return try found.composed(plan, options, file: bytes, work) { canvas, index, work in
            // A frame that is damaged is shown as far as it goes if there is no other.
            try GIFReader.draw(
                bytes, headerLength: length, from: places[index].start, on: &canvas,
                failOn: index == run.lowerBound ? options.failOn : .anyDamage, work: work)
        }
    }

    /// Reads the blocks as far as they are needed to decode.
    static func outline(of bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> GIFOutline {
        try GIFOutline(bytes, frameLimit: options.frameLimit(bytes), recordsPlaces: true, work: work)
    }

    /// Whether the one frame that is wanted goes row by row into the resampler, without a screen.
    static func drawsRows(_ plan: FramePlan, _ run: Range<Int>) -> Bool { plan.isResampled && run == 0..<1 }
}

extension GIFOutline {
    /// The frames that are there, each with its delay. One that is not whole is there if it is the only one.
    ///
    /// - Throws: `.truncated`, as the policy says; `.malformed` without a frame.
    fileprivate func found(_ options: DecodeOptions, _ bytes: [UInt8]) throws(ImageError) -> FoundFrames {
        var durations = places.map { FrameTiming.duration(milliseconds: $0.milliseconds) }
        var damage: ImageDamage = []
        if !isComplete, endsInFrame || places.count < options.frames.indices.upperBound {
            let isEnough = options.failOn == .never || options.failOn == .truncated && !endsInFrame
            guard isEnough, !places.isEmpty else {
                throw ImageError(code: .truncated, message: "The GIF ends early.", byteOffset: bytes.count)
            }
            damage = .missingEnd
            if endsInFrame, durations.count > 1 {
                damage.insert(.missingPixels)
                durations.removeLast()
            }
        }
        guard !places.isEmpty else { throw ImageError(code: .malformed, message: "The GIF has no frame.") }
        return FoundFrames(
            durations: durations, loopCount: loopCount,
            mayBecomeClear: clearsFrames || restoresFrames, damage: damage, size: size,
            covers: places.map(\.cover))
    }
}
