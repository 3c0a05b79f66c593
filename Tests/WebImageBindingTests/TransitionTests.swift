// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct TransitionTests {
    let scene = Scene()
    let transition = FakeTransition()

    @Test(arguments: TransitionTrigger.allCases, [ImageSource.network, .disk, .memory])
    func `a transition applies to the sources of its trigger`(_ trigger: TransitionTrigger, _ source: ImageSource)
        async throws
    {
        try await scene.finish(1, from: source, options: options { $0.transition = FakeTransition(trigger: trigger) })
        let isExpected =
            switch trigger {
            case .network: source == .network
            case .waited: source != .memory
            case .always: true
            }
        expectEqual(scene.target.calls.contains(.transition(1, in: .image)), isExpected)
    }

    @Test(arguments: [TransitionTrigger.waited, .always])
    func `a picture that is in memory within the call has a transition only when forced`(_ trigger: TransitionTrigger) {
        scene.loader.remember(picture(1), for: url(1))
        scene.binding.load(url(1), options: options { $0.transition = FakeTransition(trigger: trigger) })
        expectEqual(scene.target.calls.contains(.transition(1, in: .image)), (trigger == .always))
    }

    @Test func `a load ends when its picture is shown, or waits for its transition if it has one`() async throws {
        // A load ends when its picture is shown, and the transition continues.
        try await scene.finish(1, options: options { $0.transition = transition })
        expectEqual(transition.log.calls, ["prepare"])
        await scene.clock.pass(.seconds(1))
        await until { transition.log.calls == ["prepare", "finish"] }

        // A load may wait for its transition.
        do {
            let transition = FakeTransition()
            scene.renew()
            let load = scene.binding.load(
                url(1),
                options: options {
                    $0.transition = transition
                    $0.waitsForTransition = true
                })
            scene.answer.finish(picture(1))
            await until { scene.target.index == 1 && scene.clock.sleepers == 1 }
            expect(!load.hasEnded)
            scene.clock.advance(by: .seconds(1))
            try await expectEqual(load.outcome.picture?.image.index, 1)
            expectEqual(transition.log.calls, ["prepare", "finish"])
        }

        // A load that waits for a transition it does not have ends at once.
        do {
            let transition = FakeTransition()
            scene.renew()
            try await scene.finish(
                1, from: .disk,
                options: options {
                    $0.transition = transition
                    $0.waitsForTransition = true
                })
            expectEmpty(transition.log.calls)
        }
    }

    @Test(arguments: [true, false], ["replaced", "cancelled", "cleared"])
    func `a transition never finishes after its slot gets another load`(_ waits: Bool, _ how: String) async throws {
        let heard = Heard()
        scene.binding.load(
            url(1),
            options: heard.options {
                $0.transition = transition
                $0.waitsForTransition = waits
            })
        scene.answer.finish(picture(1))
        await until { scene.clock.sleepers == 1 }
        switch how {
        case "replaced": scene.binding.load(url(2), options: options { $0.placeholder = .late(nil) })
        case "cancelled": scene.binding.cancel(.image)
        default: scene.binding.clear()
        }
        // Its end is reached in either case, whether the task notices the end of its sleep or its cancellation first.
        scene.clock.advance(by: .seconds(1))
        await until { scene.clock.sleepers == 0 }
        for _ in 0..<100 { await Task.yield() }
        expectEqual(transition.log.calls, ["prepare"])
        expectEqual(heard.words, ["final 1", waits ? "cancelled" : "finished"])
    }

    @Test func `a preset has the values that it was made with`() {
        let fade: any ImageTransition = .fade
        expectEqual(fade.duration, .milliseconds(500))
        expectEqual(fade.trigger, .network)
        expectEqual(PresetTransition.Style.allCases.count, 7)
        let gentle = PresetTransition(.fade, options: [.easesInAndOut, .allowsInteraction])
        expectEqual(gentle.options.rawValue, 3)
        struct Plain: ImageTransition {}
        expectAll(Plain().duration == .milliseconds(500), Plain().trigger == .network, Plain().options.isEmpty)
    }
}
