// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct StageTests {
    let scene = Scene()

    @Test func `previews are shown as they arrive, by a transition of their own, or are left out`() async throws {
        // Previews are shown as they arrive, the picture last.
        let heard = Heard()
        let load = scene.binding.load(
            url(1),
            options: heard.options { $0.transition = FakeTransition(trigger: .always) })
        scene.answer.send(.preview(picture(11)))
        scene.answer.send(.preview(picture(12)))
        scene.answer.finish(picture(1))
        _ = try await load.outcome
        expectEqual(heard.words, ["preview 11", "preview 12", "final 1", "finished"])
        expectEqual(
            scene.target.calls,
            [
                .show(nil, in: .image), .show(11, in: .image), .show(12, in: .image), .transition(1, in: .image),
            ])

        scene.renew()
        // Previews have a transition of their own, whatever its trigger.
        do {
            let blend = FakeTransition(trigger: .network)
            let load = scene.binding.load(
                url(1),
                options: options {
                    $0.transition = FakeTransition(trigger: .always)
                    $0.previewTransition = blend
                    $0.waitsForTransition = true
                })
            scene.answer.send(.preview(picture(11)))
            await until { scene.target.index == 11 && scene.clock.sleepers == 1 }
            scene.clock.advance(by: .seconds(1))
            await until { blend.log.calls == ["prepare", "finish"] }
            expect(!load.hasEnded)
            scene.answer.send(.preview(picture(12)))
            await until { scene.target.index == 12 }
            scene.answer.finish(picture(1))
            await until { scene.target.index == 1 && scene.clock.started == 3 }
            scene.clock.advance(by: .seconds(1))
            try await expectEqual(load.outcome.picture?.image.index, 1)
            // The picture has replaced the second preview before its transition was over.
            expectEqual(blend.log.calls, ["prepare", "finish", "prepare"])
            expectEqual(
                scene.target.calls,
                [
                    .show(nil, in: .image), .transition(11, in: .image), .transition(12, in: .image),
                    .transition(1, in: .image),
                ])
        }

        scene.renew()
        // Previews can be left out.
        do {
            let load = scene.binding.load(url(1), options: options { $0.showsPreviews = false })
            scene.answer.send(.preview(picture(11)))
            scene.answer.finish(picture(1))
            _ = try await load.outcome
            expectEqual(scene.target.calls, [.show(nil, in: .image), .show(1, in: .image)])
        }
    }

    @Test
    func `a second load takes over the running transfer, unless it wants previews or is another's`() async throws {
        // A second load of a picture takes over the running transfer.
        let heard = Heard()
        let first = scene.binding.load(url(1), options: heard.options("first "))
        scene.answer.progress(10, of: 100)
        await until { !heard.words.isEmpty }
        let second = scene.binding.load(url(1), options: heard.options("second "))
        expectEqual(first.currentOutcome?.isCancelled, true)
        expectEqual(scene.loader.answers.count, 1)
        expect(!scene.answer.wasLeft)
        scene.answer.finish(picture(1))
        try await expectEqual(second.outcome.picture?.image.index, 1)
        expectEqual(heard.words, ["first 10", "first cancelled", "second final 1", "second finished"])

        scene.renew()
        // A load that asks for previews does not take over a transfer without them.
        do {
            scene.binding.load(url(1))
            var other = ImageRequest(url(1))
            other.previews = PreviewOptions(interval: .zero)
            scene.binding.load(other)
            expectEqual(scene.loader.answers.count, 2)
            scene.binding.load(other)
            expectEqual(scene.loader.answers.count, 2)
        }

        scene.renew()
        // Another tenant never takes over a transfer, however its name is encoded.
        for (count, name) in ["one", "two", "\u{E9}", "e\u{301}"].enumerated() {
            var other = request(1)
            other.modifier = RequestModifier(identity: name) { $0 }
            scene.binding.load(other)
            expectEqual(scene.loader.answers.count, count + 1)
        }
    }

    @Test func `a cached picture is shown until the refreshed one arrives, at once if it is in memory`() async throws {
        // A cached picture is shown until the refreshed one arrives, and the load ends once.
        do {
            let heard = Heard()
            let load = scene.binding.load(request(1, .refreshCached), options: heard.options())
            scene.answer.send(.cached(response(picture(11), .disk)))
            await until { scene.target.index == 11 }
            expect(scene.binding.state().isLoading)
            expectEqual(scene.binding.picture()?.stage, .cached)
            expectEqual(scene.binding.state().source, .disk)
            scene.answer.finish(picture(1))
            _ = try await load.outcome
            expectEqual(scene.target.index, 1)
            expectEqual(heard.words, ["cached 11", "final 1", "finished"])
        }

        scene.renew()
        // A picture in memory that is to be refreshed is shown within the call.
        scene.loader.remember(picture(11), for: url(1))
        let load = scene.binding.load(
            request(1, .refreshCached), options: options { $0.placeholder = .now(placeholder) })
        expectEqual(scene.target.calls, [.show(11, in: .image)])
        expect(!load.hasEnded)
        scene.answer.send(.cached(response(picture(11), .memory)))
        scene.answer.finish(picture(1))
        _ = try await load.outcome
        expectEqual(scene.target.calls, [.show(11, in: .image), .show(1, in: .image)])

        scene.renew()
        // A shown picture that is refreshed is not shown again meanwhile.
        do {
            try await scene.finish(1)
            scene.loader.remember(picture(1), for: url(1))
            let load = scene.binding.load(request(1, .refreshCached))
            scene.answer.send(.cached(response(picture(1), .memory)))
            scene.answer.finish(picture(2))
            _ = try await load.outcome
            expectEqual(scene.target.calls, [.show(nil, in: .image), .show(1, in: .image), .show(2, in: .image)])
        }
    }

    @Test func `a picture that the slot shows stays, without a load, unless another variant is wanted`() async throws {
        // A picture that the slot shows stays, without a load.
        do {
            try await scene.finish(1)
            let before = scene.target.calls.count
            let heard = Heard()
            let load = scene.binding.load(url(1), options: heard.options { $0.placeholder = .now(placeholder) })
            expectEqual(load.currentOutcome?.picture?.image.index, 1)
            expectEqual(heard.words, ["final 1", "finished"])
            expectEqual(scene.target.calls.count, before)
            expectEqual(scene.loader.answers.count, 1)
        }

        scene.renew()
        // A request for the shown picture ends the load that was to replace it.
        try await scene.finish(1)
        let load = scene.binding.load(url(2), options: options { $0.placeholder = .late(nil) })
        scene.binding.load(url(1))
        expectEqual(load.currentOutcome?.isCancelled, true)
        await until { scene.answer.wasLeft }
        expectEqual(scene.target.calls, [.show(nil, in: .image), .show(1, in: .image)])

        scene.renew()
        // Another variant of the same URL is another picture.
        try await scene.finish(1)
        var other = request(1)
        other.firstFrameOnly = true
        scene.binding.load(other)
        expectNil(scene.target.index)
        expectEqual(scene.loader.answers.count, 2)
    }

    @Test(arguments: [true, false])
    func `a shown picture is loaded again on request, and stays meanwhile`(_ byOption: Bool) async throws {
        try await scene.finish(1)
        scene.loader.remember(picture(1), for: url(1))
        let load = scene.binding.load(
            request(1, byOption ? .cacheFirst : .reload),
            options: options {
                $0.placeholder = .now(placeholder)
                $0.reloadsShownPicture = byOption
            })
        expectEqual(scene.target.calls, [.show(nil, in: .image), .show(1, in: .image)])
        scene.answer.finish(picture(9))
        _ = try await load.outcome
        expectEqual(scene.target.calls, [.show(nil, in: .image), .show(1, in: .image), .show(9, in: .image)])
    }
}
