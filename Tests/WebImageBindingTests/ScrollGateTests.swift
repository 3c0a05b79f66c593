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
        #expect(!gate.isOpen && told.entries == [false])
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
