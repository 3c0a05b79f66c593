// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct LoadTests {
    let scene = Scene()

    @Test func `a picture is shown before its load ends, and one in memory within the call`() async throws {
        // A picture is shown before its load ends.
        var seen: Int?
        let load = scene.binding.load(url(1), options: options { $0.onEnd = { _ in seen = scene.target.index } })
        expect(scene.binding.state().isLoading)
        expectEqual(scene.binding.state().url, url(1))
        scene.answer.finish(picture(1))
        let outcome = try await load.outcome
        expectEqual(outcome.picture?.image.index, 1)
        expectEqual(outcome.picture?.source, .network)
        expectEqual(outcome.picture?.response?.format, .png)
        expectEqual(seen, 1)
        expect(!scene.binding.isLoading)
        expectNil(scene.binding.load(of: .image))
        expectEqual(scene.binding.state().source, .network)

        scene.renew()
        // A picture in memory is shown within the call, without a placeholder.
        do {
            let indicator = FakeIndicator()
            scene.binding.setIndicator(indicator)
            scene.loader.remember(picture(1), for: url(1))
            let heard = Heard()
            let load = scene.binding.load(
                url(1),
                options: heard.options {
                    $0.placeholder = .now(placeholder)
                    $0.transition = FakeTransition()
                })
            expectEqual(scene.target.calls, [.show(1, in: .image)])
            expectEqual(load.currentOutcome?.picture?.source, .memory)
            expectEqual(heard.words, ["final 1", "finished"])
            expectEmpty(scene.loader.answers)
            expect(!indicator.calls.contains(.start))
            expectEqual(scene.binding.state().fraction, 1)
        }

        scene.renew()
        // So is one that only the caches may give, and it stays for another such request.
        scene.loader.remember(picture(1), for: url(1))
        for _ in 0..<2 {
            let load = scene.binding.load(request(1, .onlyIfCached))
            expectEqual(load.currentOutcome?.picture?.source, .memory)
        }
        expectAll(scene.target.calls == [.show(1, in: .image)], scene.loader.answers.isEmpty)
    }

    @Test(arguments: [CachePolicy.reload, .revalidate, .http])
    func `memory is not read when the request asks the origin, or excludes it`(_ policy: CachePolicy) {
        // Memory is not read when the request asks the origin.
        scene.loader.remember(picture(1), for: url(1))
        scene.binding.load(request(1, policy))
        expectNil(scene.target.index)
        expectEqual(scene.loader.answers.count, 1)

        scene.renew()
        // Memory is not read when the request excludes it.
        scene.loader.remember(picture(1), for: url(1))
        var request = request(1)
        request.cacheReads = .disk
        scene.binding.load(request)
        expectNil(scene.target.index)
    }

    @Test(arguments: [
        ImageSlot.image, .highlightedImage, .backgroundImage, .alternateImage, .image(for: .selected),
        .backgroundImage(for: [.selected, .highlighted]), ImageSlot("badge"), ImageSlot(7),
    ])
    func `every slot is loaded and cancelled by itself`(_ slot: ImageSlot) async throws {
        let other = ImageSlot("other")
        let load = scene.binding.load(url(1), into: slot)
        scene.binding.load(url(2), into: other)
        scene.binding.cancel(other)
        scene.loader.answers[0].finish(picture(1))
        _ = try await load.outcome
        expectEqual(scene.target.shown[slot]?.index, 1)
        expectNil(scene.target.shown[other])
        await until { scene.loader.answers[1].wasLeft }
        scene.binding.load(url(3), into: slot)
        scene.binding.cancel(slot)
        expectNil(scene.binding.load(of: slot))
        await until { scene.loader.answers[2].wasLeft }
    }

    @Test func `a cancelled load ends at once and alone, and waiting for it can be cancelled by itself`() async throws {
        // A cancelled load ends at once, with its callback, and leaves the loader.
        let heard = Heard()
        let load = scene.binding.load(url(1), options: heard.options())
        scene.binding.cancelAll()
        expectEqual(heard.words, ["cancelled"])
        await until { scene.answer.wasLeft }
        try await expect(load.outcome.isCancelled)
        load.cancel()
        expectEqual(heard.words, ["cancelled"])

        scene.renew()
        // A handle cancels its own load and not its successor.
        let first = scene.binding.load(url(1))
        let second = scene.binding.load(url(2))
        first.cancel()
        expect(!second.hasEnded)
        second.cancel()
        expect(second.hasEnded)

        scene.renew()
        // A loader that ends without a picture ends the load as cancelled.
        do {
            let heard = Heard()
            let load = scene.binding.load(
                url(1), options: heard.options { $0.placeholder = .late(placeholder) })
            scene.answer.fail(CancellationError())
            try await expect(load.outcome.isCancelled)
            expectEqual(heard.words, ["cancelled"])
            expectEmpty(scene.target.calls)
        }

        scene.renew()
        // Waiting for a load can be cancelled without cancelling the load.
        do {
            let load = scene.binding.load(url(1))
            let waiting = Task { try await load.outcome }
            waiting.cancel()
            await expectError(CancellationError.self) { try await waiting.value }
            scene.answer.finish(picture(1))
            _ = try await load.outcome
            expectEqual(scene.target.index, 1)
        }
    }

    @Test(arguments: [Placeholder.now(placeholder), .late(placeholder)])
    func `no URL, or clearing, cancels the load and empties the slot, or shows the placeholder`(
        _ given: Placeholder
    ) async throws {
        // No URL shows the placeholder.
        scene.binding.load(nil as ImageRequest?, options: options { $0.placeholder = given })
        expectEqual(scene.target.index, placeholder.index)

        scene.renew()
        // No URL empties the slot, cancels its load and ends without a request.
        let first = scene.binding.load(url(1))
        let second = scene.binding.load(nil as URL?)
        expectEqual(first.currentOutcome?.isCancelled, true)
        expectEqual(second.currentOutcome?.word, "noRequest")
        expectEqual(scene.target.calls, [.show(nil, in: .image), .show(nil, in: .image)])
        expectNil(scene.binding.state().url)
        expectEqual(scene.loader.answers.count, 1)

        scene.renew()
        // Clearing a slot cancels its load and empties it.
        try await scene.finish(1)
        let load = scene.binding.load(url(2), options: options { $0.placeholder = .late(nil) })
        expectEqual(scene.target.index, 1)
        scene.binding.clear()
        expect(load.hasEnded)
        expectNil(scene.target.index)
        expectNil(scene.binding.picture())
    }

    @Test func `a picture that only the caller gets is not shown, also when it is in memory`() async throws {
        let heard = Heard()
        let load = scene.binding.load(url(1), options: heard.options { $0.showsPictures = false })
        scene.answer.send(.preview(picture(2)))
        scene.answer.finish(picture(1))
        try await expectEqual(load.outcome.picture?.image.index, 1)
        expectEqual(heard.words, ["preview 2", "final 1", "finished"])
        expectEqual(scene.target.calls, [.show(nil, in: .image)])
        expectEqual(scene.binding.state().source, .network)

        scene.renew()
        // A picture in memory that only the caller gets is not shown.
        do {
            scene.loader.remember(picture(1), for: url(1))
            let heard = Heard()
            scene.binding.load(url(1), options: heard.options { $0.showsPictures = false })
            expectEqual(heard.words, ["final 1", "finished"])
            expectEmpty(scene.target.calls)
        }
    }
}
