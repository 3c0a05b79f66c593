// SPDX-License-Identifier: MIT
import Foundation
import Observation
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ProgressTests {
    let scene = Scene()

    @Test
    func `progress reaches callback, state and indicator, ends at 1, and begins anew with each load`() async throws {
        // Progress reaches the callback, the state and the indicator, and ends at 1.
        let indicator = FakeIndicator()
        scene.binding.setIndicator(indicator)
        let heard = Heard()
        let load = scene.binding.load(url(1), options: heard.options())
        scene.answer.progress(25, of: 100)
        scene.answer.progress(50, of: 100)
        await until { heard.words.count == 2 }
        expectEqual(scene.binding.state().fraction, 0.5)
        expectEqual(scene.binding.state().progress?.receivedByteCount, 50)
        scene.answer.finish(picture(1))
        _ = try await load.outcome
        expectEqual(scene.binding.state().fraction, 1)
        expectEqual(indicator.calls, [.start, .update(nil), .update(0.25), .update(0.5), .update(1), .stop])

        scene.renew()
        // The time that is left follows from the speed so far, and ends with the load.
        do {
            let load = scene.binding.load(url(1))
            let state = scene.binding.state()
            // What it has waited for, such as a gate, is no measure of its speed, nor is what another load has fetched.
            scene.clock.advance(by: .seconds(2))
            scene.answer.progress(0, of: 100)
            await until { state.progress != nil }
            expectNil(state.timeRemaining)
            scene.clock.advance(by: .seconds(2))
            scene.answer.progress(25, of: 100)
            await until { state.fraction > 0 }
            expectEqual(state.timeRemaining, .seconds(6))
            scene.clock.advance(by: .seconds(2))
            scene.answer.progress(75, of: 100)
            await until { state.fraction > 0.5 }
            expectEqual(state.timeRemaining, .seconds(4) * (0.25 / 0.75))
            // A transfer that begins anew is measured anew.
            scene.answer.progress(50, of: 100)
            await until { state.fraction < 0.6 }
            expectNil(state.timeRemaining)
            scene.clock.advance(by: .seconds(1))
            scene.answer.progress(75, of: 100)
            await until { state.fraction > 0.6 }
            expectEqual(state.timeRemaining, .seconds(1))
            load.cancel()
            expectNil(state.timeRemaining)
            if case .idle = state.phase {} else { Issue.record("the state is \(state.phase)") }
            // The next load has no speed before its second report, and no source before its picture.
            scene.binding.load(url(2))
            scene.clock.advance(by: .seconds(1))
            scene.answer.progress(80, of: 100)
            await until { state.fraction == 0.8 }
            expectNil(state.timeRemaining)
            try await scene.finish(3)
            expectEqual(state.source, .network)
            if case .finished = state.phase {} else { Issue.record("the state is \(state.phase)") }
            scene.binding.load(url(4))
            expectNil(state.source)
        }

        scene.renew()
        // A length that the origin has made up traps nothing.
        do {
            scene.binding.load(url(1))
            let state = scene.binding.state()
            for count in 0...2 {
                scene.answer.progress(count, of: .max)
                await until { state.progress?.receivedByteCount == count }
                scene.clock.advance(by: .seconds(3_600))
            }
            expect(state.timeRemaining ?? .zero > .seconds(3_600))
        }

        scene.renew()
        // A load without any report ends at 1 too.
        try await scene.finish(1)
        expectEqual(scene.binding.state().fraction, 1)
        expectNil(scene.binding.state().progress)

        scene.renew()
        // An unknown length leaves the fraction at 0.
        scene.binding.load(url(1))
        scene.answer.progress(50, of: nil)
        await until { scene.binding.state().progress != nil }
        expectEqual(scene.binding.state().fraction, 0)

        scene.renew()
        // Each load restarts the progress, and a failed one keeps it.
        do {
            let load = scene.binding.load(url(1))
            scene.answer.progress(50, of: 100)
            await until { scene.binding.state().progress?.received != nil }
            scene.answer.fail()
            _ = try await load.outcome
            expectEqual(scene.binding.state().fraction, 0.5)
            // A slot that waits for its next load holds no bytes.
            expectEqual(scene.binding.state().progress?.receivedByteCount, 50)
            expectNil(scene.binding.state().progress?.received)
            scene.binding.load(url(2))
            expectEqual(scene.binding.state().fraction, 0)
            expectNil(scene.binding.state().progress)
        }
    }

    @Test func `the state can be observed, is a sequence of its changes, and stays the same object`() async throws {
        // The state can be observed, and stays the same object.
        let state = scene.binding.state()
        let changes = Journal<String>()
        withObservationTracking {
            _ = state.fraction
        } onChange: {
            changes.write("fraction")
        }
        scene.binding.load(url(1))
        scene.answer.progress(50, of: 100)
        await until { state.fraction == 0.5 }
        expectEqual(changes.count, 1)
        expect(state === scene.binding.state())
        expect(state !== scene.binding.state(of: .backgroundImage))

        scene.renew()
        // The state is a sequence of its changes.
        do {
            let state = scene.binding.state()
            let fractions = Task.immediate {
                var seen: [Double] = []
                for await fraction in Observations({ state.fraction }) {
                    seen.append(fraction)
                    if fraction == 1 { break }
                }
                return seen
            }
            try await scene.finish(1)
            let seen = await fractions.value
            expectEqual([seen.first, seen.last], [0, 1])
        }
    }
}
