// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ScrollGateTests {
    /// A gate that closes above ten rows a second, and what it has told.
    private func scene() -> (gate: ScrollGate, clock: SpyClock, told: Journal<Bool>) {
        let clock = SpyClock()
        let gate = ScrollGate(limit: 10, clock: clock)
        let told = Journal<Bool>()
        gate.onChange = { told.write($0) }
        ledger?.enter("sleepers") { clock.sleepers }
        return (gate, clock, told)
    }

    @Test func `a view's own load waits for the gate, unless memory has its picture, and one that runs goes on`()
        async throws
    {
        let (gate, clock, _) = scene()
        let (scene, indicator) = (Scene(), FakeIndicator())
        let gated = options { $0.gate = gate }
        let badge = ImageSlot("badge")
        scene.binding.load(url(1), into: badge, options: gated)
        gate.scrolled(by: 9)
        expect(!gate.isOpen)
        await until { scene.loader.open.count == 1 }
        scene.loader.remember(picture(2), for: url(2))
        expectEqual(scene.binding.load(url(2), options: gated).currentOutcome?.picture?.image.index, 2)

        // Held loads keep their order, also if they are told of their visibility; one that ends is forgotten.
        scene.binding.setIndicator(indicator, for: .image)
        let held = [url(3), url(4)].map { scene.binding.load($0, options: gated) }
        let other = scene.binding.load(url(5), into: .backgroundImage, options: gated)
        scene.binding.targetVisibilityChanged()
        expectEqual(held.map(\.hasEnded), [true, false])
        expectEqual([scene.loader.answers.count, gate.entryCount], [1, 2])
        expectEmpty(indicator.calls)
        await until { clock.started == 1 }
        clock.advance(by: .milliseconds(150))
        await until { gate.isOpen }
        expectEqual(scene.loader.answers.map(\.request.url), [url(1), url(4), url(5)])
        expectEqual([gate.entryCount, indicator.calls.count], [0, 2])
        scene.loader.answers[1].finish(picture(4))
        try await expectEqual(held[1].outcome.picture?.image.index, 4)
        other.cancel()
        scene.binding.cancelAll()
    }

    @Test
    func `slow scrolling keeps the gate open, or opens it, and the time since the last report counts up to a rest`()
        async
    {
        // Slow scrolling keeps the gate open.
        let (gate, clock, told) = scene()
        for distance in [1.0, -1, 1, 0] {
            gate.scrolled(by: distance)
            clock.advance(by: .milliseconds(110))
        }
        expectAll(gate.isOpen, told.entries.isEmpty)

        // A gate opens as soon as the scrolling slows down.
        do {
            let (gate, clock, told) = scene()
            gate.scrolled(by: 9)
            await until { clock.started == 1 }
            clock.advance(by: .milliseconds(100))
            gate.scrolled(by: 3)
            expect(!gate.isOpen)
            await until { clock.started == 2 }
            clock.advance(by: .milliseconds(120))
            // 20 ms before the list counts as standing still.
            expect(!gate.isOpen)
            gate.scrolled(by: 1)
            expectAll(gate.isOpen, told.entries == [false, true])
        }

        // The time since the last report counts up to a rest.
        do {
            let (gate, clock, _) = scene()
            gate.scrolled(by: 1)
            clock.advance(by: .seconds(60))
            gate.scrolled(by: 2)
            expect(!gate.isOpen)
            await until { clock.started == 1 }
            clock.advance(by: .seconds(1))
            await until { gate.isOpen }
        }
    }

    @Test(arguments: [2.0, -2, .infinity])
    func `fast scrolling closes the gate until the list stands still`(_ distance: Double) async {
        let (gate, clock, told) = scene()
        gate.scrolled(by: distance)
        expect(!gate.isOpen)
        await until { clock.started == 1 }
        clock.advance(by: .milliseconds(149))
        for _ in 0..<50 { await Task.yield() }
        expect(!gate.isOpen)
        clock.advance(by: .milliseconds(1))
        await until { gate.isOpen }
        expectEqual(told.entries, [false, true])
    }

    @Test func `a rest that ends as the list is scrolled again opens nothing`() async {
        let (gate, clock, told) = scene()
        gate.scrolled(by: 9)
        await until { clock.started == 1 }
        // The pause ends, and its step waits for this actor.
        clock.advance(by: .milliseconds(150))
        gate.scrolled(by: 90)
        await until { clock.started == 2 }
        for _ in 0..<500 { await Task.yield() }
        expectAll(!gate.isOpen, told.entries == [false])
    }

    @Test func `a gate without a limit closes at every move, and a released gate leaves no task`() async {
        // A gate without a limit closes at every move.
        let clock = SpyClock()
        let gate = ScrollGate(limit: .nan, rest: .seconds(-1), clock: clock)
        gate.scrolled(by: 0)
        expect(gate.isOpen)
        gate.scrolled(by: 0.1)
        expect(!gate.isOpen)
        await until { gate.isOpen }

        // A released gate leaves no task.
        do {
            let clock = SpyClock()
            var gate: ScrollGate? = ScrollGate(limit: 10, clock: clock)
            gate?.scrolled(by: 9)
            await until { clock.sleepers == 1 }
            gate = nil
            await until { clock.sleepers == 0 }
        }
    }
}
