// SPDX-License-Identifier: MIT
/// The schedule of the frames of an animation.
///
/// Pure arithmetic, no clock.
struct FrameSchedule: Sendable, Hashable {
    /// The state of the animation at one time.
    struct Position: Sendable, Hashable {
        /// The frame.
        var frame: Int
        /// The time until the next frame; `nil` when the animation has ended.
        var remaining: Duration?
    }

    /// When each frame ends, in nanoseconds from the start of a loop, rising.
    private let ends: [Int64]
    /// How often the animation plays, 0 forever.
    private let loopCount: Int64

    /// Creates the schedule of an animation.
    ///
    /// A frame of less than 11 ms counts as 100 ms, as in browsers and SDWebImage. A frame of more than a day counts as
    /// a day.
    init(durations: [Duration], loopCount: Int) {
        var ends: [Int64] = []
        ends.reserveCapacity(durations.count)
        var end: Int64 = 0
        for duration in durations {
            let shown = duration < .milliseconds(11) ? .milliseconds(100) : min(duration, .seconds(86_400))
            let (sum, overflow) = end.addingReportingOverflow(shown.nanoseconds)
            end = overflow ? .max : sum
            ends.append(end)
        }
        self.ends = ends
        self.loopCount = Int64(max(0, loopCount))
    }

    /// The position after `elapsed` of playing.
    ///
    /// A late caller gets the frame for its time and skips the frames before.
    ///
    /// - Complexity: O(log *n*) in the number of frames.
    func position(at elapsed: Duration) -> Position {
        guard ends.count > 1, let total = ends.last else { return Position(frame: 0, remaining: nil) }
        let now = max(0, elapsed.nanoseconds)
        if loopCount > 0, now / total >= loopCount { return Position(frame: ends.count - 1, remaining: nil) }
        let moment = now % total
        let frame = firstFrame(endingAfter: moment)
        let isLast = frame == ends.count - 1 && loopCount > 0 && now / total == loopCount - 1
        return Position(frame: frame, remaining: isLast ? nil : .nanoseconds(ends[frame] - moment))
    }

    private func firstFrame(endingAfter moment: Int64) -> Int {
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
