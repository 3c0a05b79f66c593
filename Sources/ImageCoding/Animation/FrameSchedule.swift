// SPDX-License-Identifier: MIT
/// When each frame of an animation is shown.
///
/// Pure arithmetic, no clock.
struct FrameSchedule: Sendable, Hashable {
    /// The state of the animation at one time.
    struct Position: Sendable, Hashable {
        /// The frame.
        var frame: Int
        /// The loop, from 0.
        var loop: Int
        /// The number of frames that the loop has shown before this one.
        var step: Int
        /// The time until the next frame; `nil` when the animation has ended.
        var remaining: Duration?
    }

    let order: FrameOrder
    let frameCount: Int
    /// When each step ends, in attoseconds from the start of a loop, rising.
    private let ends: [Int128]
    /// How often the animation plays, 0 forever.
    private let loopCount: Int128

    /// Creates the schedule of an animation.
    ///
    /// A frame of less than 11 ms counts as 100 ms, as in browsers and SDWebImage. A frame of more than a day counts as
    /// a day.
    init(durations: [Duration], loopCount: Int, order: FrameOrder = .forward) {
        let frames = durations.count
        // A picture of any frames of a day is shorter than what fits.
        ends = (0..<order.stepCount(frames: frames)).reduce(into: []) { ends, step in
            let duration = durations[order.frame(at: step, frames: frames)]
            let shown = duration < .milliseconds(11) ? .milliseconds(100) : min(duration, .seconds(86_400))
            ends.append((ends.last ?? 0) + shown.attoseconds)
        }
        self.order = order
        frameCount = frames
        self.loopCount = Int128(max(0, loopCount))
    }

    /// The length of a loop.
    var length: Duration { Duration(attoseconds: ends.last ?? 0) }

    /// The position after `elapsed` of playing.
    ///
    /// A late caller gets the frame for its time and skips the frames before.
    ///
    /// - Complexity: O(*n*) in the number of frames.
    func position(at elapsed: Duration) -> Position {
        guard ends.count > 1, let total = ends.last else { return Position(frame: 0, loop: 0, step: 0, remaining: nil) }
        let now = max(0, elapsed.attoseconds)
        if loopCount > 0, now / total >= loopCount {
            return position(step: ends.count - 1, loop: loopCount - 1, remaining: nil)
        }
        let moment = now % total
        let step = ends.firstIndex { $0 > moment } ?? ends.count - 1
        let isLast = step == ends.count - 1 && loopCount > 0 && now / total == loopCount - 1
        return position(
            step: step, loop: now / total, remaining: isLast ? nil : Duration(attoseconds: ends[step] - moment))
    }

    /// When a loop shows a frame first, in play time.
    ///
    /// - Parameters:
    ///   - frame: The index of a frame; the nearest one for an index without.
    ///   - loop: From 0; clamped.
    func start(of frame: Int, loop: Int) -> Duration {
        guard ends.count > 1, let total = ends.last else { return .zero }
        let step = order.step(of: min(max(frame, 0), frameCount - 1), frames: frameCount)
        // As many loops as are two hundred years; an animation plays no longer.
        let most = loopCount > 0 ? loopCount - 1 : .max
        let loop = min(Int128(max(loop, 0)), most, FrameSchedule.longest / total)
        return Duration(attoseconds: total * loop + (step == 0 ? 0 : ends[step - 1]))
    }

    /// The frames after a position, in the order they are shown.
    func frames(after position: Position, count: Int) -> [Int] {
        var (step, loop, frames) = (position.step, Int128(position.loop), [Int]())
        while frames.count < count, !ends.isEmpty {
            step += 1
            if step >= ends.count {
                (step, loop) = (0, loop + 1)
                if loopCount > 0, loop >= loopCount { break }
            }
            frames.append(order.frame(at: step, frames: frameCount))
        }
        return frames
    }

    /// Two hundred years, in attoseconds.
    private static let longest = Duration.seconds(6_400_000_000).attoseconds

    private func position(step: Int, loop: Int128, remaining: Duration?) -> Position {
        Position(
            frame: order.frame(at: step, frames: frameCount), loop: Int(clamping: loop), step: step,
            remaining: remaining)
    }
}

/// The order in which the frames of an animation are played.
public enum FrameOrder: String, Sendable, Hashable, CaseIterable {
    /// From the first frame to the last one.
    case forward
    /// From the last frame to the first one.
    case reverse
    /// There and back. A loop shows the first and the last frame once.
    case bounce
    /// Back and there, from the last frame. A loop shows the first and the last frame once.
    case reverseBounce
}

extension FrameOrder {
    /// The number of frames that a loop shows.
    func stepCount(frames: Int) -> Int {
        switch self {
        case .forward, .reverse: frames
        case .bounce, .reverseBounce: frames > 1 ? frames * 2 - 2 : frames
        }
    }

    /// The frame that a step of a loop shows.
    ///
    /// - Parameter step: Below ``stepCount(frames:)``.
    func frame(at step: Int, frames: Int) -> Int {
        let there = step < frames ? step : frames * 2 - 2 - step
        return self == .forward || self == .bounce ? there : frames - 1 - there
    }

    /// The first step of a loop that shows a frame.
    func step(of frame: Int, frames: Int) -> Int {
        self == .forward || self == .bounce ? frame : frames - 1 - frame
    }

    /// Whether the frame after a step has a lower index.
    func runsBackwards(after step: Int, frames: Int) -> Bool {
        let count = stepCount(frames: frames)
        guard count > 1 else { return false }
        return self.frame(at: (step + 1) % count, frames: frames) < self.frame(at: step, frames: frames)
            && step + 1 < count
    }
}
