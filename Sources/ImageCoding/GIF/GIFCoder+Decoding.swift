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
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        try decode(bytes, options, DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let wanted = options.firstFrameOnly ? 1 : Int.max
        let outline = try GIFCoder.outline(of: bytes, options, work)
        let onDemand = options.framesOnDemand && outline.frameCount > 1
        try limits.check(
            width: outline.size.width, height: outline.size.height, frames: outline.frameCount, onDemand: onDemand)
        guard outline.largestFrame <= limits.maximumPixelCount,
            onDemand || outline.framePixels <= limits.maximumAnimationPixelCount
        else {
            throw ImageError(code: .tooLarge, message: "The GIF's frames have \(outline.framePixels) pixels together.")
        }
        let plan = GIFCoder.plan(for: outline, thumbnail: options.thumbnail)
        let byteCount = GIFCoder.decodingByteCount(outline, plan, wanted, onDemand: onDemand)
        try limits.check(byteCount: byteCount)
        if GIFCoder.drawsRows(outline, plan, wanted) {
            var damage: ImageDamage = []
            let (pixels, hasAlpha) = try unsafe plan.draw(
                work, inOrder: true, premultiplies: true, missing: .clear
            ) { _, rows in
                guard let rows else { return }
                damage = try GIFReader.readFirstFrame(
                    bytes, on: outline.size, into: rows, readsOn: wanted > 1, failOn: options.failOn, work: work)
            }
            return DecodedImage(
                plan.result, .held([DecodedImage.Frame(pixels: pixels)]), hasAlpha: hasAlpha, damage: damage)
        }
        if onDemand { return try GIFCoder.decodeOnDemand(bytes, outline, plan, options, byteCount: byteCount) }
        let resampler = plan.resampler()
        var frames = [DecodedImage.Frame]()
        var hasAlpha = false
        let damage = try GIFReader.read(bytes, on: outline.size, failOn: options.failOn, work: work) {
            canvas, milliseconds in
            hasAlpha = hasAlpha || !Bitmap.isOpaque(canvas)
            let pixels = try work.excluding { try plan.finish(canvas, resampler) }
            frames.append(
                DecodedImage.Frame(pixels: pixels, duration: FrameTiming.duration(milliseconds: milliseconds)))
            return frames.count < wanted
        }
        guard let first = frames.first else { throw GIFReader.noFrame }
        if frames.count == 1 { frames = [DecodedImage.Frame(pixels: first.pixels)] }
        return DecodedImage(
            plan.result, .held(frames),
            loopCount: frames.count == 1 ? 0 : outline.loopCount, hasAlpha: hasAlpha, damage: damage)
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

    static func plan(for outline: GIFOutline, thumbnail: ResizeTransformer?) -> FramePlan {
        FramePlan(stored: outline.size, orientation: .up, thumbnail: thumbnail)
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
