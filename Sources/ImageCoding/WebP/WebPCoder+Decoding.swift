// SPDX-License-Identifier: MIT
extension WebPCoder {
    /// Decodes a WebP.
    ///
    /// A still picture beyond ``ImageLimits/maximumByteCount`` or ``ImageLimits/maximumPixelCount`` is drawn at a half,
    /// a quarter or an eighth when a thumbnail is requested, with sides of at least one and a half times those of the
    /// result.
    ///
    /// **Cancellation**: checked between frames, and after some hundred rows of a frame. A part of a frame that takes
    /// no bytes, such as a large plain one, is drawn without a check, as is the first eighth of a lossless frame.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        try decode(bytes, options, DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let outline = try WebPOutline(bytes, maximumMetadataByteCount: limits.maximumMetadataByteCount, work: work)
        let frameCount = options.firstFrameOnly ? 1 : outline.frameCount
        if outline.isAnimated {
            try limits.check(
                width: outline.size.width, height: outline.size.height, frames: frameCount,
                onDemand: options.framesOnDemand)
        }
        let isEnough = outline.hasPixels(failOn: options.failOn, firstFrameOnly: options.firstFrameOnly)
        guard outline.isComplete || isEnough else {
            throw ImageError(code: .truncated, message: "The WebP ends early.", byteOffset: bytes.count)
        }
        let (plan, byteCount) = try WebPCoder.plan(for: outline, of: bytes, options, work)
        if !outline.isAnimated { try limits.check(stored: outline.size, drawn: plan.drawn) }
        try limits.check(byteCount: byteCount)
        if outline.isAnimated, options.framesOnDemand, frameCount > 1 {
            return try WebPCoder.decodeOnDemand(bytes, outline, plan, options, byteCount: byteCount, work)
        }
        if outline.isAnimated {
            return try WebPCoder.decodeAnimation(bytes, outline, plan, frameCount: frameCount, options.failOn, work)
        }
        guard let bitstream = outline.bitstream else {
            throw ImageError(code: .malformed, message: "The WebP has no picture.", byteOffset: 12)
        }
        var hasAlpha = false
        var damage: ImageDamage = outline.isComplete ? [] : .missingEnd
        let pixels = try unsafe Bitmap.draw(plan.bitmap) { output in
            let found = try unsafe bitstream.draw(
                bytes, size: outline.size, as: plan.drawn, to: output, stride: plan.drawn.width * 4,
                failOn: options.failOn, work: work)
            damage.formUnion(found)
            if bitstream.mayHaveAlpha || !found.isEmpty { hasAlpha = try unsafe Bitmap.premultiply(output, work) }
        }
        let frame = DecodedImage.Frame(pixels: try plan.finish(pixels, plan.resampler()))
        return DecodedImage(
            plan.result, .held([frame]), hasAlpha: hasAlpha, damage: damage)
    }

    private static func decodeAnimation(
        _ bytes: [UInt8], _ outline: WebPOutline, _ plan: FramePlan, frameCount: Int,
        _ failOn: DamagePolicy, _ work: DecodingWork
    ) throws -> DecodedImage {
        let resampler = plan.resampler()
        var canvas = WebPCanvas(size: outline.size)
        var frames = [DecodedImage.Frame]()
        var hasAlpha = false
        var damage: ImageDamage = outline.isComplete ? [] : .missingEnd
        if !outline.isComplete, !outline.endsInMetadata, frameCount > 1 { damage.insert(.missingPixels) }
        var chunks = outline.chunks(of: bytes, work: work)
        while frames.count < frameCount, let chunk = try chunks.next() {
            guard chunk.type == WebPChunks.frame, chunk.isWhole else { continue }
            let frame: WebPFrame
            do {
                frame = try WebPFrame(chunk.payload, of: bytes, on: outline.size, work: work)
                try canvas.draw(frame, of: bytes, work: work)
            } catch let error as ImageError where failOn == .never && error.isDamage && !frames.isEmpty {
                damage.formUnion([.missingPixels, .corruptData])
                break
            }
            hasAlpha = hasAlpha || !Bitmap.isOpaque(canvas.pixels)
            let pixels = try work.excluding { try plan.finish(canvas.pixels, resampler) }
            let duration = frameCount == 1 ? .zero : FrameTiming.duration(milliseconds: frame.duration)
            frames.append(DecodedImage.Frame(pixels: pixels, duration: duration))
        }
        guard frames.count == frameCount || damage.contains(.missingPixels), !frames.isEmpty else {
            throw ImageError(
                code: .malformed, message: "The WebP has \(frames.count) of the \(frameCount) frames it announces.")
        }
        return DecodedImage(
            plan.result, .held(frames),
            loopCount: frameCount == 1 ? 0 : outline.loopCount, hasAlpha: hasAlpha, damage: damage)
    }

    /// The headers and the library loaded at run time have different interfaces.
    static let wrongLibrary = ImageError(
        code: .unsupportedFormat, message: "webp: the library has another version than its headers.")
    static let noMemory = ImageError(code: .outOfMemory, message: "webp: out of memory.")
}

extension WebPOutline {
    /// Whether a file that ends early has the pixels that a policy asks for, and what turns them upright.
    fileprivate func hasPixels(failOn: DamagePolicy, firstFrameOnly: Bool) -> Bool {
        switch failOn {
        case .anyDamage: false
        case .never: isAnimated ? frameCount > 0 : bitstream != nil
        case .truncated where lacksEXIF: false
        case .truncated where isAnimated: frameCount > 0 && (firstFrameOnly || endsInMetadata)
        case .truncated: bitstream?.isWhole == true
        }
    }
}
