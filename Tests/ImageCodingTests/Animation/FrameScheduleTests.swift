// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageCoding

@Suite struct FrameScheduleTests {
    @Test func `a finite animation ends on its last frame, and a frame below 11 ms counts as a tenth of a second`() {
        let schedule = FrameSchedule(durations: [.milliseconds(100), .milliseconds(100)], loopCount: 2)
        expect(schedule.position(at: .milliseconds(150)).shows(1, for: .milliseconds(50)))
        expect(schedule.position(at: .milliseconds(250)).shows(0, for: .milliseconds(50)))
        expect(schedule.position(at: .milliseconds(300)).shows(1, for: nil))
        expect(schedule.position(at: .seconds(1_000_000)).shows(1, for: nil))
        let short = FrameSchedule(
            durations: [.zero, .milliseconds(-5), .milliseconds(10), .milliseconds(11)], loopCount: 0)
        expect(short.position(at: .milliseconds(299)).shows(2, for: .milliseconds(1)))
        expect(short.position(at: .milliseconds(300)).shows(3, for: .milliseconds(11)))
    }

    @Test func `a frame of 11 ms is shown for 11 ms, and one of 10 ms for a tenth of a second`() {
        for (milliseconds, shown) in [(0, 100), (10, 100), (11, 11), (12, 12)] {
            expectEqual(FrameTiming.duration(milliseconds: milliseconds), .milliseconds(shown))
            let schedule = FrameSchedule(durations: [.milliseconds(milliseconds), .seconds(1)], loopCount: 0)
            expectEqual(schedule.length, .milliseconds(shown) + .seconds(1))
        }
    }

    @Test func `extreme durations and counts do not overflow`() {
        let long = FrameSchedule(durations: Array(repeating: .seconds(Int64.max), count: 200_000), loopCount: .max)
        expect(long.position(at: .seconds(Int64.max)).frame, <, 200_000)
        expectEqual(long.position(at: .seconds(-1)).frame, 0)
        expect(FrameSchedule(durations: [], loopCount: -3).position(at: .seconds(1)).shows(0, for: nil))
        expectNil(FrameSchedule(durations: [.zero], loopCount: 0).position(at: .seconds(1)).remaining)
    }
}

extension FrameSchedule.Position {
    fileprivate func shows(_ frame: Int, for remaining: Duration?) -> Bool {
        self.frame == frame && self.remaining == remaining
    }
}
