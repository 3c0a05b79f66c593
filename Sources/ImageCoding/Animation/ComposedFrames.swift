// SPDX-License-Identifier: MIT
import Locks

/// The canvas of an animation whose frames are drawn one over the other.
protocol FrameCanvas: Sendable {
    /// RGBA, premultiplied; empty before the first frame.
    var pixels: [UInt8] { get }
}

/// Frames of a file that are composed one over the other, as far as they are asked for.
///
/// Holds the file and one canvas. The next frame costs one frame; an earlier one costs all frames from the first.
final class ComposedFrames<Canvas: FrameCanvas>: FrameSource {
    /// The canvas after some frames.
    private struct Progress {
        var canvas: Canvas
        /// The number of frames that are drawn on it.
        var frameCount = 0
    }

    let durations: [Duration]
    let byteCount: Int
    private let plan: FramePlan
    private let resampler: Resampler?
    private let empty: Canvas
    private let draw: @Sendable (inout Canvas, Int) throws -> Void
    private let progress: Mutex<Progress>

    /// Creates a source.
    ///
    /// - Parameters:
    ///   - durations: How long each frame is shown.
    ///   - byteCount: The bytes of the file, and the most that drawing takes.
    ///   - plan: How a composed frame is finished.
    ///   - empty: The canvas before the first frame.
    ///   - draw: Draws the frame of an index on the canvas after the frame before.
    init(
        durations: [Duration], byteCount: Int, plan: FramePlan, empty: Canvas,
        draw: @escaping @Sendable (inout Canvas, Int) throws -> Void
    ) {
        self.durations = durations
        self.byteCount = byteCount
        self.plan = plan
        resampler = plan.resampler()
        self.empty = empty
        self.draw = draw
        progress = Mutex(Progress(canvas: empty))
    }

    func pixels(at index: Int) throws -> [UInt8] {
        let composed = try progress.withLock { progress in
            if index + 1 < progress.frameCount { progress = Progress(canvas: empty) }
            while progress.frameCount <= index {
                // Taken out, so that drawing copies only what was passed on; after an error it begins anew.
                var next = progress
                progress = Progress(canvas: empty)
                try draw(&next.canvas, next.frameCount)
                next.frameCount += 1
                progress = next
            }
            return progress.canvas.pixels
        }
        return try plan.finish(composed, resampler)
    }
}
