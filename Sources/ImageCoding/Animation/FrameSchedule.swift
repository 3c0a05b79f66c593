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
    /// When each step ends, in nanoseconds from the start of a loop, rising.
    private let ends: [Int64]
    /// How often the animation plays, 0 forever.
    private let loopCount: Int64

    /// Creates the schedule of an animation.
    ///
    /// A frame of less than 11 ms counts as 100 ms, as in browsers and SDWebImage. A frame of more than a day counts as
    /// a day.
    init(durations: [Duration], loopCount: Int, order: FrameOrder = .forward) {
        var ends: [Int64] = []
        let count = order.stepCount(frames: durations.count)
        ends.reserveCapacity(count)
        var end: Int64 = 0
        for step in 0..<count {
            let duration = durations[order.frame(at: step, frames: durations.count)]
            let shown = duration < .milliseconds(11) ? .milliseconds(100) : min(duration, .seconds(86_400))
            let (sum, overflow) = end.addingReportingOverflow(shown.nanoseconds)
            end = overflow ? .max : sum
            ends.append(end)
        }
        self.ends = ends
        self.order = order
        frameCount = durations.count
        self.loopCount = Int64(max(0, loopCount))
    }

    /// The length of a loop.
    var length: Duration { .nanoseconds(ends.last ?? 0) }

    /// The position after `elapsed` of playing.
    ///
    /// A late caller gets the frame for its time and skips the frames before.
    ///
    /// - Complexity: O(log *n*) in the number of frames.
    func position(at elapsed: Duration) -> Position {
        guard ends.count > 1, let total = ends.last else { return Position(frame: 0, loop: 0, step: 0, remaining: nil) }
        let now = max(0, elapsed.nanoseconds)
        if loopCount > 0, now / total >= loopCount {
            return position(step: ends.count - 1, loop: loopCount - 1, remaining: nil)
        }
        let moment = now % total
        let step = firstStep(endingAfter: moment)
        let isLast = step == ends.count - 1 && loopCount > 0 && now / total == loopCount - 1
        return position(step: step, loop: now / total, remaining: isLast ? nil : .nanoseconds(ends[step] - moment))
    }

    /// When a loop shows a frame first, in play time.
    ///
    /// - Parameters:
    ///   - frame: The index of a frame; the nearest one for an index without.
    ///   - loop: From 0; clamped.
    func start(of frame: Int, loop: Int) -> Duration {
        guard ends.count > 1, let total = ends.last else { return .zero }
        let step = order.step(of: min(max(frame, 0), frameCount - 1), frames: frameCount)
        let loop = min(Int64(max(loop, 0)), loopCount > 0 ? loopCount - 1 : .max)
        let (before, overflow) = total.multipliedReportingOverflow(by: loop)
        let (start, beyond) = before.addingReportingOverflow(step == 0 ? 0 : ends[step - 1])
        return .nanoseconds(overflow || beyond ? .max : start)
    }

    /// The frames after a position, in the order they are shown.
    func frames(after position: Position, count: Int) -> [Int] {
        var (step, loop, frames) = (position.step, Int64(position.loop), [Int]())
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

    private func position(step: Int, loop: Int64, remaining: Duration?) -> Position {
        Position(
            frame: order.frame(at: step, frames: frameCount), loop: Int(loop), step: step, remaining: remaining)
    }

    private func firstStep(endingAfter moment: Int64) -> Int {
        var range = 0..<ends.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            if ends[middle] > moment {
                range = range.lowerBound..<middle
            } else {
                range = middle + 1..<range.upperBound
            }
        }
        return min(range.lowerBound, ends.count - 1)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, limited to 64 bits.
    fileprivate var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, overflowed) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        return overflowed ? .max : sum
    }
}
