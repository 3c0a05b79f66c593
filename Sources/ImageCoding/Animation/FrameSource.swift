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

    /// Whether the animation ends before a frame that is damaged, for all that goes through the frames in order.
    ///
    /// `false` by default: they fail with the error of the frame. Damage is ``ImageError`` with `.malformed` or
    /// `.truncated`.
    var endsAtDamage: Bool { get }

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

extension FrameSource {
    /// `false`.
    public var endsAtDamage: Bool { false }
}

/// Frames of another source, each transformed when it is asked for.
struct MappedFrames: FrameSource {
    private let base: any FrameSource
    private let inputByteCount: Int
    private let transform: @Sendable ([UInt8]) throws -> [UInt8]

    /// - Parameter inputByteCount: The bytes of a frame before it is transformed.
    init(
        _ base: any FrameSource, inputByteCount: Int, _ transform: @escaping @Sendable ([UInt8]) throws -> [UInt8]
    ) {
        (self.base, self.inputByteCount, self.transform) = (base, inputByteCount, transform)
    }

    var durations: [Duration] { base.durations }
    var byteCount: Int { base.byteCount.saturatingAdd(inputByteCount) }
    var endsAtDamage: Bool { base.endsAtDamage }

    func pixels(at index: Int) throws -> [UInt8] { try transform(base.pixels(at: index)) }
}

/// Frames of a file that are composed one over the other, as far as they are asked for.
///
/// Holds the file and one canvas. The next frame costs one frame; an earlier one costs all frames from the first.
final class ComposedFrames: FrameSource {
    /// Draws the frame of an index in the file on the canvas after the frame before, and returns its damage. The
    /// animation ends after a damaged frame.
    typealias Drawing = @Sendable (inout FrameCanvas, Int, DecodingWork) throws -> ImageDamage

    /// The canvas after some frames.
    private struct Progress {
        var canvas: FrameCanvas
        /// The number of frames that are drawn on it.
        var frameCount = 0
        /// The damage of the last one.
        var damage: ImageDamage = []
    }

    let durations: [Duration]
    let byteCount: Int
    private let fileByteCount: Int
    private let plan: FramePlan
    private let options: DecodeOptions
    private let resampler: Resampler?
    private let size: PixelSize
    private let start: Int
    private let draw: Drawing
    private let progress: Mutex<Progress>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - found: The frames in the file.
    ///   - run: The indexes of those of the source.
    ///   - plan: How a composed frame is finished.
    ///   - fileByteCount: The bytes of the file.
    ///   - byteCount: The most bytes that drawing takes.
    init(
        _ found: FoundFrames, _ run: Range<Int>, _ plan: FramePlan, _ options: DecodeOptions, fileByteCount: Int,
        byteCount: Int, _ draw: @escaping Drawing
    ) {
        (durations, size, start) = (Array(found.durations[run]), found.size, run.lowerBound)
        (self.plan, self.options, self.draw, resampler) = (plan, options, draw, plan.resampler())
        self.fileByteCount = fileByteCount
        self.byteCount = fileByteCount.saturatingAdd(byteCount)
        progress = Mutex(Progress(canvas: FrameCanvas(size: size)))
    }

    var endsAtDamage: Bool { options.failOn == .never }

    func pixels(at index: Int) throws -> [UInt8] { try draw(index, nil).pixels }

    /// Makes a frame.
    ///
    /// - Parameter work: The work that the frame is part of, with all frames before it; `nil` for one work a frame.
    /// - Returns: Its pixels and its damage.
    func draw(_ index: Int, _ work: DecodingWork?) throws -> (pixels: [UInt8], damage: ImageDamage) {
        let (composed, damage) = try progress.withLock { progress in
            let index = start + index
            if index + 1 < progress.frameCount { progress = Progress(canvas: FrameCanvas(size: size)) }
            while progress.frameCount <= index {
                guard progress.damage.isEmpty else {
                    let last = progress.frameCount - 1
                    throw ImageError(code: .malformed, message: "The animation ends with the damaged frame \(last).")
                }
                // Taken out, so that drawing copies only what was passed on; after an error it begins anew.
                var next = progress
                progress = Progress(canvas: FrameCanvas(size: size))
                let work = work ?? DecodingWork(limits: options.limits, byteCount: fileByteCount)
                next.damage = try draw(&next.canvas, next.frameCount, work)
                next.frameCount += 1
                progress = next
            }
            return (progress.canvas.pixels, progress.damage)
        }
        return (try plan.finish(composed, resampler), damage)
    }
}

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

    /// Composes the wanted frames or, on demand, the first of them, and leaves the others to a source.
    ///
    /// - Parameters:
    ///   - file: The bytes of the file.
    ///   - byteCount: The peak memory of the decode, beside the file.
    func composed(
        _ plan: FramePlan, _ options: DecodeOptions, file: [UInt8], byteCount: Int, _ work: DecodingWork,
        _ draw: @escaping ComposedFrames.Drawing
    ) throws -> DecodedImage {
        let run = try options.frames.clamped(to: durations.count)
        if options.framesOnDemand, run.count > 1 {
            let source = ComposedFrames(
                self, run, plan, options, fileByteCount: file.count, byteCount: byteCount, draw)
            let first = try source.draw(0, work)
            return DecodedImage(
                plan.result, .onDemand(first.pixels, source), loopCount: loopCount,
                hasAlpha: mayBecomeClear || !Bitmap.isOpaque(first.pixels), damage: damage.union(first.damage))
        }
        var (canvas, frames, hasAlpha) = (FrameCanvas(size: size), [DecodedImage.Frame](), false)
        var damage = damage
        let resampler = plan.resampler()
        for index in 0..<run.upperBound {
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
