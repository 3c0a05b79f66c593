// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct VisibilityTests {
    let scene = Scene()

    private func see(_ visibility: TargetVisibility) {
        scene.target.visibility = visibility
        scene.binding.targetVisibilityChanged()
    }

    private var priorities: [ImagePriority] { scene.loader.answers.map(\.request.priority) }

    @Test(arguments: [(TargetVisibility.visible, ImagePriority.high), (.near, .low), (.hidden, .veryLow)])
    func `a load starts at the priority for the visibility of its target`(
        _ visibility: TargetVisibility, _ expected: ImagePriority
    ) {
        scene.target.visibility = visibility
        scene.binding.load(request(1, priority: .high))
        expectEqual(priorities, [expected])
    }

    @Test func `a target that scrolls away lowers its load, and never leaves, raises or restarts it`() async throws {
        // A target that scrolls away lowers its load and never leaves it.
        let load = scene.binding.load(url(1))
        see(.hidden)
        expectEqual(priorities, [.normal, .veryLow])
        expect(!scene.loader.answers[0].wasLeft)
        scene.loader.answers[1].progress(1, of: 2)
        await until { scene.loader.answers[0].wasLeft }
        scene.loader.answers[1].finish(picture(1))
        try await expectEqual(load.outcome.picture?.image.index, 1)

        scene.renew()
        // Visibility does not raise a low priority.
        scene.binding.load(request(1, priority: .veryLow))
        see(.near)
        expectEqual(priorities, [.veryLow])

        scene.renew()
        // A load that continues ignores the visibility.
        scene.binding.load(url(1), options: options { $0.whenHidden = .continues })
        see(.hidden)
        see(.near)
        expectEqual(priorities, [.normal])

        scene.renew()
        // Visibility does not restart a load that has ended.
        try await scene.finish(1)
        see(.hidden)
        see(.visible)
        expectEqual(scene.loader.answers.count, 1)
    }

    @Test func `the old subscription is kept until the new one speaks, and the first to finish counts`() async throws {
        // The old subscription is kept until the first event of the new one, whatever it delivers itself.
        let load = scene.binding.load(url(1))
        see(.near)
        scene.loader.answers[0].progress(1, of: 4)
        await until { scene.binding.state().progress?.receivedByteCount == 1 }
        expectAll(load.outgoingFeed != nil, scene.binding.entryCount == 2)
        scene.loader.answers[1].progress(2, of: 4)
        await until { scene.loader.answers[0].wasLeft }
        expectNil(load.outgoingFeed)
        expectEqual(scene.binding.entryCount, 1)
        scene.loader.answers[1].finish(picture(1))
        try await expectEqual(load.outcome.picture?.image.index, 1)
        expectEqual(scene.binding.entryCount, 0)

        scene.renew()
        // Whichever subscription finishes first brings the picture, once.
        do {
            let heard = Heard()
            let load = scene.binding.load(url(1), options: heard.options())
            see(.near)
            scene.loader.answers[0].finish(picture(1))
            _ = try await load.outcome
            scene.loader.answers[1].finish(picture(9))
            await until { scene.loader.open.isEmpty }
            for _ in 0..<100 { await Task.yield() }
            expectEqual(heard.words, ["final 1", "finished"])
            expectEqual(scene.target.index, 1)
        }

        scene.renew()
        // A subscription that ends early leaves the load to the other.
        do {
            let load = scene.binding.load(url(1))
            see(.near)
            scene.loader.answers[0].fail()
            await until { load.outgoingFeed == nil }
            expect(!load.hasEnded)
            scene.loader.answers[1].finish(picture(1))
            try await expectEqual(load.outcome.picture?.image.index, 1)
        }

        scene.renew()
        // A subscription that is replaced before it spoke ends.
        do {
            let load = scene.binding.load(url(1))
            see(.near)
            see(.hidden)
            await until { scene.loader.open.count == 2 }
            expectEqual(scene.loader.answers.map(\.wasLeft), [false, true, false])
            expectEqual(scene.binding.entryCount, 2)
            scene.loader.answers[2].finish(picture(1))
            try await expectEqual(load.outcome.picture?.image.index, 1)
        }
    }

    @Test(arguments: [true, false]) func `a load that is cancelled or pauses leaves both of its subscriptions`(
        pauses: Bool
    ) async {
        let load = scene.binding.load(url(1), options: options { $0.whenHidden = .pauses })
        see(.near)
        expectEqual([scene.binding.entryCount, scene.loader.open.count], [2, 2])
        if pauses { see(.hidden) } else { load.cancel() }
        await until { scene.loader.open.isEmpty }
        expectAll(scene.binding.entryCount == 0, load.hasEnded != pauses)
    }

    @Test func `hiding and appearing in one turn subscribes only once more`() async throws {
        let load = scene.binding.load(url(1))
        for _ in 0..<10 {
            see(.near)
            see(.visible)
        }
        expectEqual(load.feed?.priority, .normal)
        expectNil(load.outgoingFeed)
        expect(!scene.loader.answers[0].wasLeft)
        await until { scene.loader.open.count == 1 }
        scene.loader.answers[0].finish(picture(1))
        try await expectEqual(load.outcome.picture?.image.index, 1)
    }

    @Test func `a load that pauses leaves the loader, and starts when its target is visible`() async throws {
        // A paused load leaves the loader and starts again when its target is visible.
        do {
            let load = scene.binding.load(url(1), options: options { $0.whenHidden = .pauses })
            see(.hidden)
            await until { scene.loader.answers[0].wasLeft }
            expect(!load.hasEnded)
            see(.visible)
            expectEqual(scene.loader.answers.count, 2)
            scene.answer.finish(picture(1))
            try await expectEqual(load.outcome.picture?.image.index, 1)
        }

        scene.renew()
        // A load for a hidden target that pauses waits for it to appear.
        scene.target.visibility = .hidden
        scene.binding.load(url(1), options: options { $0.whenHidden = .pauses })
        expectEmpty(scene.loader.answers)
        see(.near)
        expectEqual(priorities, [.low])
    }
}
