// SPDX-License-Identifier: MIT
import ImageCoding
import Locks

/// The frames of an animation that a job decodes, and those that it holds.
extension JobRun {
    /// Whether transformers do not change animations.
    var leavesAnimations: Bool { !job.first.request.transformsAnimations }

    /// Whether the plan is for outputs alone that only show that the file is a picture.
    private var isProof: Bool { provesOnly.load(ordering: .acquiring) }

    /// The frames that are decoded: the first one alone where all are beyond the limits, and it is enough.
    func frames(_ properties: ImageProperties) -> FrameRange {
        let isEnough = job.first.request.fallsBackToFirstFrame || isProof && processor.streamsAnimations
        guard isEnough, isBeyondLimits(properties, areHeld: job.first.request.allFrames) else {
            return job.options.frames
        }
        return .first
    }

    /// Whether frames are decoded when they are asked for: those of a large animation, of a file that does not say how
    /// many it has, and where the first one is enough.
    func isOnDemand(_ base: JobBase, _ properties: ImageProperties) -> Bool {
        guard !job.first.request.allFrames, job.options.frames != .first, properties.frameCount != 1 else {
            return false
        }
        guard !takesOneFrame(properties), properties.frameCount != nil else { return true }
        let limit = min(processor.maximumHeldAnimationByteCount, job.options.byteBudget ?? .max)
        return base.size.bitmapByteCount.saturatingMultiply(frameCount(properties)) > limit
            || isBeyondLimits(properties, areHeld: true)
    }

    /// Whether the plan, or the output that began the job, needs no other frame.
    private func takesOneFrame(_ properties: ImageProperties) -> Bool {
        isProof || job.first.end.map { !job.coders.animates(format($0, properties)) } ?? false
    }

    /// - Returns: The number of frames that a picture holds, and the number that an encoder is expected to find as
    ///   noise.
    func heldFrameCount(_ base: JobBase?, _ properties: ImageProperties) -> (held: Int, noise: Int) {
        let count = frames(properties).count(of: properties.frameCount)
        switch job.source {
        case .picture(let picture): return (min(count, picture.image.heldFrameCount), min(count, 2))
        case .file(let original):
            guard let base, isOnDemand(base, properties) else { return (count, count) }
            var options = job.options
            options.framesOnDemand = true
            let held = try? job.coders.heldFrameCount(of: original.bytes, properties, options: options)
            return (held ?? count, min(count, 2))
        }
    }

    /// The picture to encode. An animation with more pixels than may be drawn gives its first frame, or an error.
    func encodable(
        _ image: DecodedImage, as format: EncodedFormat, _ properties: ImageProperties
    ) throws -> DecodedImage {
        let (limit, drawn) = (
            job.options.limits.maximumDrawnPixelCount, properties.size.pixelCount.saturatingMultiply(image.frameCount)
        )
        guard image.makesFramesOnDemand, drawn > limit, job.coders.animates(format) else { return image }
        guard job.first.request.fallsBackToFirstFrame else {
            throw ImageError(
                code: .tooLarge,
                message: "\(image.frameCount) frames of \(properties.size): a file may take \(limit) pixels to draw.",
                advice: "Ask for the first frame, or raise ImageLimits.maximumDrawnPixelCount.")
        }
        return image.firstFrame
    }

    func frameCount(_ properties: ImageProperties) -> Int { job.options.frames.count(of: properties.frameCount) }

    private func isBeyondLimits(_ properties: ImageProperties, areHeld: Bool) -> Bool {
        let (limits, count) = (job.options.limits, frameCount(properties))
        return count > 1
            && (count > limits.maximumFrameCount
                || areHeld
                    && properties.size.pixelCount.saturatingMultiply(count)
                        > min(limits.maximumAnimationPixelCount, limits.maximumDrawnPixelCount))
    }
}
