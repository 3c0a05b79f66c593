// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite struct PlayheadTests {
    private let clock = ManualClock()

    private func head(
        _ durations: [Int] = [100, 50, 200], loops: Int = 0, _ order: FrameOrder = .forward, rate: Double = 1
    ) -> Playhead {
        var head = Playhead(
            durations: durations.map { .milliseconds($0) }, loopCount: loops, order: order, rate: rate, clock: clock)
        head.run()
        return head
    }

    /// The frames that are due one after the other, and the milliseconds that each is shown.
    private func frames(_ head: inout Playhead, count: Int) -> [[Int]] {
        (0..<count).map { _ in
            let position = head.look()
            clock.advance(by: position.wait ?? .seconds(1))
            return [position.frame, position.loop, position.wait.map { Int($0 / .milliseconds(1)) } ?? -1]
        }
    }

    @Test func `every order plays all frames, each as long as it is shown, and changes at the frame that is shown`() {
        var forward = head()
        expectEqual(frames(&forward, count: 4), [[0, 0, 100], [1, 0, 50], [2, 0, 200], [0, 1, 100]])
        var reverse = head([100, 50, 200], .reverse)
        expectEqual(frames(&reverse, count: 4), [[2, 0, 200], [1, 0, 50], [0, 0, 100], [2, 1, 200]])
        expectAll(reverse.look().runsBackwards, !forward.look().runsBackwards)
        var bounce = head([100, 50, 200], loops: 2, .bounce)
        expectEqual(frames(&bounce, count: 9).map { $0[0] }, [0, 1, 2, 1, 0, 1, 2, 1, 1])
        var back = head([100, 50, 200], .reverseBounce)
        expectEqual(frames(&back, count: 6).map { $0[0] }, [2, 1, 0, 1, 2, 1])
        var changed = head()
        clock.advance(by: .milliseconds(110))
        changed.setOrder(.reverse)
        expectEqual(frames(&changed, count: 3).map { $0[0] }, [1, 0, 2])
    }

    private func head(_ durations: [Int], _ order: FrameOrder) -> Playhead { head(durations, loops: 0, order) }

    @Test func `the rate changes while an animation plays, stands still where it is none, and does not overflow`() {
        var head = head(rate: 2)
        expectEqual(head.look().wait, .milliseconds(50))
        clock.advance(by: .milliseconds(25))
        head.setRate(0.5)
        expectEqual(head.look().wait, .milliseconds(100))
        head.setRate(0)
        expectNil(head.look().wait)
        clock.advance(by: .seconds(100))
        expectEqual(head.look().frame, 0)
        expect(!head.look().hasEnded)
        for rate in [Double.nan, -1, -Double.infinity, 0.0001, 0] {
            var head = self.head(rate: rate)
            clock.advance(by: .seconds(Int64.max))
            expectEqual(head.look().frame, 0, "\(rate)")
            expectEqual(head.rate, 0, "\(rate)")
        }
        var fast = self.head(rate: .infinity)
        for _ in 0..<20 {
            clock.advance(by: .seconds(1 << 60))
            expect((0...2).contains(fast.look().frame))
        }
        expectEqual(fast.rate, 1_000)
    }

    @Test func `a jump beyond the frames or the loops leads to the nearest of them`() {
        var head = head(loops: 3)
        for (place, expected) in [(-5, 0), (Int.min, 0), (Int.max, 2)] {
            head.seek(to: place, loop: place)
            expectEqual([head.look().frame, head.look().loop], [expected, expected])
        }
    }

    @Test func `an animation that still arrives does not begin anew when its order changes`() {
        let clock = ManualClock()
        var head = Playhead(
            durations: Array(repeating: .milliseconds(100), count: 3), loopCount: 0, order: .forward, rate: 1,
            isComplete: false, clock: clock)
        head.run()
        for _ in 0..<2 {
            clock.advance(by: .seconds(10))
            expectEqual(head.look().frame, 2)
            head.setOrder(.forward)
        }
    }
}
