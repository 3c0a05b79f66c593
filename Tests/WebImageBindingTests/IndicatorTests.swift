// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct IndicatorTests {
    let scene = Scene()
    let indicator = FakeIndicator()

    @Test(arguments: ["finished", "failed", "cancelled", "nothing to load"])
    func `an indicator stops with its load, whatever the outcome`(_ how: String) async throws {
        scene.binding.setIndicator(indicator)
        let load = scene.binding.load(url(1))
        expect(indicator.isShown)
        switch how {
        case "finished": scene.answer.finish(picture(1))
        case "failed": scene.answer.fail()
        case "cancelled": scene.binding.cancel(.image)
        default: scene.binding.load(nil as URL?)
        }
        _ = try await load.outcome
        expect(!indicator.isShown)
    }

    @Test func `an indicator stays for its minimum time, and for a load that starts within it`() async throws {
        // An indicator stays for its minimum time, and the picture does not wait.
        scene.binding.setIndicator(indicator, minimumTime: .milliseconds(500))
        let load = scene.binding.load(url(1))
        scene.clock.advance(by: .milliseconds(200))
        scene.answer.finish(picture(1))
        _ = try await load.outcome
        expectEqual(scene.target.index, 1)
        expect(indicator.isShown)
        await until { scene.clock.sleepers == 1 }
        scene.clock.advance(by: .milliseconds(299))
        expectEqual(scene.clock.sleepers, 1)
        scene.clock.advance(by: .milliseconds(1))
        await until { !indicator.isShown }

        // A load that takes longer than the minimum time stops the indicator at once.
        do {
            let indicator = FakeIndicator()
            scene.renew()
            scene.binding.setIndicator(indicator, minimumTime: .milliseconds(500))
            let load = scene.binding.load(url(1))
            scene.clock.advance(by: .milliseconds(500))
            scene.answer.finish(picture(1))
            _ = try await load.outcome
            expect(!indicator.isShown)
        }

        // A load that starts within the minimum time takes the indicator over.
        do {
            let indicator = FakeIndicator()
            scene.renew()
            scene.binding.setIndicator(indicator, minimumTime: .milliseconds(500))
            try await scene.finish(1)
            await until { scene.clock.sleepers == 1 }
            scene.binding.load(url(2))
            // Its end is reached in either case, whether the task notices the end of its sleep or its cancellation first.
            scene.clock.advance(by: .seconds(1))
            await until { scene.clock.sleepers == 0 }
            for _ in 0..<100 { await Task.yield() }
            expect(indicator.isShown)
            expectEqual(indicator.calls.count { $0 == .start }, 1)
            // A slot that is cleared is empty at once.
            scene.binding.clear()
            expect(!indicator.isShown)
        }
    }

    @Test
    func `each slot has its own indicator, set and removed at any time, which does not blink for a replaced load`() {
        // Each slot has its own indicator.
        scene.binding.setIndicator(indicator, for: .backgroundImage)
        scene.binding.load(url(1))
        expectEmpty(indicator.calls)
        scene.binding.load(url(1), into: .backgroundImage)
        expect(indicator.isShown)

        // An indicator may be set and removed while a load runs.
        do {
            let indicator = FakeIndicator()
            scene.renew()
            scene.binding.load(url(1))
            scene.binding.setIndicator(indicator)
            expect(indicator.isShown)
            scene.binding.setIndicator(nil)
            expect(!indicator.isShown)
        }

        // A replaced load does not make the indicator blink.
        do {
            let indicator = FakeIndicator()
            scene.renew()
            scene.binding.setIndicator(indicator)
            scene.binding.load(url(1))
            scene.binding.load(url(2))
            expectEqual(indicator.calls.filter { $0 == .start || $0 == .stop }, [.start])
        }
    }

    @Test(arguments: [true, false])
    func `an indicator does not run for a paused load, and starts when the load continues`(isSetBefore: Bool)
        async throws
    {
        scene.target.visibility = .hidden
        if isSetBefore { scene.binding.setIndicator(indicator) }
        let load = scene.binding.load(url(1), options: options { $0.whenHidden = .pauses })
        if !isSetBefore { scene.binding.setIndicator(indicator) }
        expectEmpty(indicator.calls)
        scene.target.visibility = .visible
        scene.binding.targetVisibilityChanged()
        expect(indicator.isShown)
        scene.answer.finish(picture(1))
        _ = try await load.outcome
        expect(!indicator.isShown)
    }
}
