// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Schedules and playheads against a list of what is shown, one step after the other.
struct FrameScheduleModelTests {
    @Test func `a schedule shows what a list of its steps shows`() async {
        await Property(cases: 3_000) { draw in
            (
                play: PlayedFrames(&draw), time: draw.number(-10...3_000), frame: draw.number(-1...6),
                loop: draw.number(-1...5)
            )
        }.holds { play, time, frame, loop in
            let schedule = FrameSchedule(
                durations: play.durations.map { .milliseconds($0) }, loopCount: play.loopCount, order: play.order)
            let (position, expected) = (schedule.position(at: .milliseconds(time)), play.step(at: time))
            let following = play.steps(after: expected.index, count: 7)
            let start = schedule.start(of: frame, loop: loop)
            let nearest = min(max(frame, 0), play.durations.count - 1)
            let first = play.start(
                of: nearest, loop: play.loopCount > 0 ? min(max(loop, 0), play.loopCount - 1) : max(loop, 0))
            return difference(position, expected.position)
                ?? difference(schedule.frames(after: position, count: 7), following, "following:")
                ?? difference(start, .milliseconds(first), "start:")
                ?? difference(
                    schedule.position(at: start).frame, play.durations.count > 1 ? nearest : 0, "at its start:")
        }
    }

    @Test func `a playhead is where its play time is, whatever is done to it`() async {
        await Property(cases: 3_000) { draw in
            (play: PlayedFrames(&draw), steps: draw.list(1...8) { Step(&$0) })
        }.holds { play, steps in
            let clock = ManualClock()
            var head = Playhead(
                durations: play.durations.map { .milliseconds($0) }, loopCount: play.loopCount, order: play.order,
                rate: 1, clock: clock)
            var (play, played, rate, isRunning) = (play, 0, 1, false)
            for step in steps {
                switch step {
                case .advance(let time):
                    clock.advance(by: .milliseconds(time))
                    if isRunning { played += time * rate }
                case .run(let runs):
                    if runs { head.run() } else { head.pause() }
                    isRunning = runs
                case .rate(let number):
                    head.setRate(Double(number))
                    rate = number
                case .seek(let frame, let loop):
                    head.seek(to: frame, loop: loop)
                    played = play.start(
                        of: min(frame, play.durations.count - 1),
                        loop: play.loopCount > 0 ? min(loop, play.loopCount - 1) : loop)
                case .order(let order):
                    let now = play.step(at: played).position
                    head.setOrder(order)
                    play.order = order
                    played = play.start(of: now.frame, loop: now.loop)
                }
                let (now, expected) = (head.look(following: 3), play.step(at: played))
                let isMoving = isRunning && rate > 0
                let wait = isMoving ? expected.position.remaining.map { $0 / rate } : nil
                let wrong =
                    difference([now.frame, now.loop], [expected.position.frame, expected.position.loop], "\(step):")
                    ?? difference(now.wait, wait, "wait after \(step):")
                    ?? difference(now.hasEnded, expected.position.remaining == nil, "end after \(step):")
                    ?? difference(now.following, play.steps(after: expected.index, count: 3), "following \(step):")
                if let wrong { return wrong }
            }
            return nil
        }
    }

    private enum Step {
        case advance(Int), run(Bool), rate(Int), seek(Int, Int), order(FrameOrder)

        init(_ draw: inout Generator) {
            switch draw.number(0...6) {
            case 0, 1: self = .run(!draw.isTrue(oneIn: 3))
            case 2, 3: self = .advance(draw.number(0...700))
            case 4: self = .seek(draw.number(0...6), draw.number(0...4))
            case 5: self = .order(draw.oneOf(FrameOrder.allCases))
            default: self = .rate(draw.oneOf([1, 2, 0, 4]))
            }
        }
    }
}

/// An animation in milliseconds.
private struct PlayedFrames {
    let durations: [Int]
    let loopCount: Int
    var order: FrameOrder

    init(_ draw: inout Generator) {
        durations = draw.list(1...5) { $0.oneOf([100, 0, 10, 11, 12, 20, -5, $0.number(0...300)]) }
        loopCount = draw.number(0...4)
        order = draw.oneOf(FrameOrder.allCases)
    }

    /// The frames of a loop.
    private var loop: [Int] {
        let there = Array(durations.indices)
        let loop =
            switch order {
            case .forward, .reverse: there
            case .bounce, .reverseBounce: there + there.dropFirst().dropLast().reversed()
            }
        return order == .forward || order == .bounce ? loop : loop.map { durations.count - 1 - $0 }
    }

    private func shown(_ frame: Int) -> Int { durations[frame] < 11 ? 100 : durations[frame] }

    /// What is shown at a time, and the number of steps before it; walks from the beginning.
    func step(at time: Int) -> (index: Int, position: FrameSchedule.Position) {
        guard durations.count > 1 else { return (0, .init(frame: 0, loop: 0, step: 0, remaining: nil)) }
        let loop = loop
        var (index, end) = (0, shown(loop[0]))
        func isLast(_ index: Int) -> Bool { loopCount > 0 && index == loop.count * loopCount - 1 }
        while end <= max(0, time), !isLast(index) {
            index += 1
            end += shown(loop[index % loop.count])
        }
        let remaining = isLast(index) ? nil : Duration.milliseconds(end - max(0, time))
        return (
            index,
            .init(
                frame: loop[index % loop.count], loop: index / loop.count, step: index % loop.count,
                remaining: remaining)
        )
    }

    /// The frames after a step.
    func steps(after index: Int, count: Int) -> [Int] {
        let loop = loop
        let all = (index + 1...index + count).prefix { loopCount == 0 || $0 < loop.count * loopCount }
        return all.map { loop[$0 % loop.count] }
    }

    /// When a loop shows a frame first.
    func start(of frame: Int, loop number: Int) -> Int {
        guard durations.count > 1 else { return 0 }
        let loop = loop
        let total = loop.reduce(0) { $0 + shown($1) }
        return number * total + loop.prefix { $0 != frame }.reduce(0) { $0 + shown($1) }
    }
}
