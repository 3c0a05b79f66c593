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
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let outline = try WebPOutline(bytes, options, work)
        let frameCount = options.frames.count(of: outline.frameCount)
        if outline.isAnimated {
            try limits.check(
                outline.size, frames: frameCount, onDemand: options.framesOnDemand, whole: "An animation")
        }
        let isEnough = outline.hasPixels(options)
        guard outline.isComplete || isEnough else {
            throw ImageError(code: .truncated, message: "The WebP ends early.", byteOffset: bytes.count)
        }
        let (plan, byteCount, frames) = try WebPCoder.plan(for: outline, of: bytes, options, work)
        if !outline.isAnimated { try plan.check(outline.size, limits, rows: plan.drawn.height) }
        try limits.check(byteCount: byteCount)
        var damage: ImageDamage = outline.isComplete ? [] : .missingEnd
        if !frames.isEmpty {
            let hasRun = frames.count >= options.frames.indices.upperBound
            if !outline.isComplete, !outline.endsInMetadata, !hasRun, outline.frameCount > 1 {
                damage.insert(.missingPixels)
            }
            let found = FoundFrames(
                durations: frames.map { FrameTiming.duration(milliseconds: $0.duration) },
                loopCount: outline.loopCount,
                mayBecomeClear: frames.contains { $0.isCleared || !$0.isBlended && $0.bitstream.mayHaveAlpha },
                damage: damage, size: outline.size,
                covers: frames.map { frame in
                    FrameCover(
                        isWhole: frame.rect.size == outline.size,
                        isOpaque: !frame.isBlended || !frame.bitstream.mayHaveAlpha,
                        disposal: frame.isCleared ? .clear : .keep)
                })
            return try found.composed(plan, options, file: bytes, work) {
                try $0.draw(frames[$1], of: bytes, $2)
                return []
            }
        }
        guard let bitstream = outline.bitstream else {
            throw ImageError(code: .malformed, message: "The WebP has no picture.", byteOffset: 12)
        }
        let mayBeClear = bitstream.mayHaveAlpha || options.failOn == .never
        return try unsafe plan.draw(work, inOrder: false, premultiplies: mayBeClear) { [damage] output, _ in
            try unsafe bitstream.draw(
                bytes, size: outline.size, as: plan.drawn, to: output, stride: plan.drawn.width * 4,
                failOn: options.failOn, work: work
            ).union(damage)
        }
    }

    /// The headers and the library loaded at run time have different interfaces.
    static let wrongLibrary = ImageError(
        code: .unsupportedFormat, message: "webp: the library has another version than its headers.")
    static let noMemory = ImageError(code: .outOfMemory, message: "webp: out of memory.")
}

extension WebPOutline {
    /// Whether a file that ends early has the pixels that a policy asks for, and what turns them upright.
    fileprivate func hasPixels(_ options: DecodeOptions) -> Bool {
        switch options.failOn {
        case .anyDamage: false
        case .never: isAnimated ? frameCount > 0 : bitstream != nil
        case .truncated where lacksEXIF: false
        case .truncated where isAnimated:
            frameCount > 0 && (frameCount >= options.frames.indices.upperBound || endsInMetadata)
        case .truncated: bitstream?.isWhole == true
        }
    }
}
