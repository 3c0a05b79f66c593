// SPDX-License-Identifier: MIT
import Locks

/// Makes the frames of an animation when they are asked for, so that they need not all be in memory.
///
/// Conform to it to give frames that are drawn, or read from elsewhere.
public protocol FrameSource: Sendable {
    /// How long each frame is shown; one value for each frame.
    ///
    /// Does not change, and costs nothing.
    var durations: [Duration] { get }

    /// The most bytes that the source holds between and during calls, without the frames it returned.
    var byteCount: Int { get }

    /// Makes the pixels of one frame.
    ///
    /// Blocks its thread. May be called on any thread and on several at once; calls may wait for each other.
    ///
    /// **Cancellation**: checked while the frame is made; throws `CancellationError`.
    ///
    /// - Parameter index: The index of a frame.
    /// - Returns: RGBA, 8 bits a channel, premultiplied, rows top down without padding; complete, whatever the order of
    ///   the calls.
    /// - Throws: ``ImageError`` for a frame that is broken; `CancellationError`.
    func pixels(at index: Int) throws -> [UInt8]
}

/// Frames of another source, each transformed when it is asked for.
struct MappedFrames: FrameSource {
    private let base: any FrameSource
    private let transform: @Sendable ([UInt8]) throws -> [UInt8]

    init(_ base: any FrameSource, _ transform: @escaping @Sendable ([UInt8]) throws -> [UInt8]) {
        self.base = base
        self.transform = transform
    }

    var durations: [Duration] { base.durations }
    var byteCount: Int { base.byteCount }

    func pixels(at index: Int) throws -> [UInt8] { try transform(base.pixels(at: index)) }
}

/// Frames of a file that are composed one over the other, as far as they are asked for.
///
/// Holds the file and one canvas. The next frame costs one frame; an earlier one costs all frames from the first.
final class ComposedFrames: FrameSource {
    /// Draws the frame of an index on the canvas after the frame before.
    typealias Drawing = @Sendable (inout FrameCanvas, Int, DecodingWork) throws -> Void

    /// The canvas after some frames.
    private struct Progress {
        var canvas: FrameCanvas
        /// The number of frames that are drawn on it.
        var frameCount = 0
    }

    let durations: [Duration]
    let byteCount: Int
    private let plan: FramePlan
    private let resampler: Resampler?
    private let size: PixelSize
    private let makeWork: @Sendable () -> DecodingWork
    private let draw: Drawing
    private let progress: Mutex<Progress>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - durations: How long each frame is shown.
    ///   - size: The size of the canvas.
    ///   - plan: How a composed frame is finished.
    ///   - byteCount: The bytes of the file, and the most that drawing takes.
    ///   - work: The work of one frame.
    init(
        _ durations: [Duration], on size: PixelSize, plan: FramePlan, byteCount: Int,
        work: @escaping @Sendable () -> DecodingWork, draw: @escaping Drawing
    ) {
        (self.durations, self.size, self.byteCount, self.plan) = (durations, size, byteCount, plan)
        (makeWork, self.draw, resampler) = (work, draw, plan.resampler())
        progress = Mutex(Progress(canvas: FrameCanvas(size: size)))
    }

    func pixels(at index: Int) throws -> [UInt8] {
        let composed = try progress.withLock { progress in
            if index + 1 < progress.frameCount { progress = Progress(canvas: FrameCanvas(size: size)) }
            while progress.frameCount <= index {
                // Taken out, so that drawing copies only what was passed on; after an error it begins anew.
                var next = progress
                progress = Progress(canvas: FrameCanvas(size: size))
                try draw(&next.canvas, next.frameCount, makeWork())
                next.frameCount += 1
                progress = next
            }
            return progress.canvas.pixels
        }
        return try plan.finish(composed, resampler)
    }
}

/// What a decoder found in the file of an animation.
struct FoundFrames {
    /// How long each frame is shown, at least one.
    var durations: [Duration]
    /// How often the animation is played; 0 forever.
    var loopCount: Int
    /// Whether a frame may be transparent, as far as that is known without drawing.
    var mayBeClear: Bool
    var damage: ImageDamage
    /// The size of the canvas.
    var size: PixelSize

    /// Composes all frames or, on demand, the first one, and leaves the others to a source.
    ///
    /// - Parameters:
    ///   - file: The bytes of the file.
    ///   - byteCount: The peak memory of the decode, beside the file.
    func composed(
        _ plan: FramePlan, _ options: DecodeOptions, file: [UInt8], byteCount: Int, _ work: DecodingWork,
        _ draw: @escaping ComposedFrames.Drawing
    ) throws -> DecodedImage {
        if options.framesOnDemand, durations.count > 1 {
            let source = ComposedFrames(
                durations, on: size, plan: plan, byteCount: file.count.saturatingAdd(byteCount),
                work: { [count = file.count] in DecodingWork(limits: options.limits, byteCount: count) }, draw: draw)
            return DecodedImage(
                plan.result, .onDemand(try source.pixels(at: 0), source), loopCount: loopCount, hasAlpha: mayBeClear,
                damage: damage)
        }
        let isStill = durations.count == 1
        var (canvas, frames, hasAlpha) = (FrameCanvas(size: size), [DecodedImage.Frame](), false)
        var damage = damage
        let resampler = plan.resampler()
        for index in durations.indices {
            do {
                try draw(&canvas, index, work)
            } catch let error as ImageError where options.failOn == .never && error.isDamage && index > 0 {
                damage.formUnion([.missingPixels, .corruptData])
                break
            }
            hasAlpha = hasAlpha || !Bitmap.isOpaque(canvas.pixels)
            let pixels = try work.excluding { try plan.finish(canvas.pixels, resampler) }
            frames.append(DecodedImage.Frame(pixels: pixels, duration: isStill ? .zero : durations[index]))
        }
        return DecodedImage(
            plan.result, .held(frames), loopCount: isStill ? 0 : loopCount, hasAlpha: hasAlpha, damage: damage)
    }
}
