// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct PlaceholderTests {
    let scene = Scene()

    @Test func `a placeholder is shown within the call, a late one only if no picture comes`() async throws {
        // A placeholder is shown within the call and the picture later.
        do {
            let load = scene.binding.load(url(1), options: options { $0.placeholder = .now(placeholder) })
            expectEqual(scene.target.calls, [.show(placeholder.index, in: .image)])
            scene.answer.finish(picture(1))
            _ = try await load.outcome
            expectEqual(scene.target.calls, [.show(placeholder.index, in: .image), .show(1, in: .image)])
        }

        scene.renew()
        // Without a placeholder the slot is emptied when the load starts.
        try await scene.finish(1)
        scene.binding.load(url(2))
        expectNil(scene.target.index)

        scene.renew()
        // A late placeholder is never shown when the picture comes.
        try await scene.finish(1)
        let load = scene.binding.load(url(2), options: options { $0.placeholder = .late(placeholder) })
        expectEqual(scene.target.index, 1)
        scene.answer.finish(picture(2))
        _ = try await load.outcome
        expectEqual(scene.target.calls, [.show(nil, in: .image), .show(1, in: .image), .show(2, in: .image)])
    }

    @Test(arguments: [true, false])
    func `a placeholder is shown when the load fails, a late one, too, and a failed picture is loaded again on request`(
        _ showsPictures: Bool
    ) async throws {
        // A late placeholder is shown when the load fails.
        let load = scene.binding.load(
            url(1),
            options: options {
                $0.placeholder = .late(placeholder)
                $0.showsPictures = showsPictures
            })
        expectEmpty(scene.target.calls)
        scene.answer.fail()
        try await expectEqual(load.outcome.word, "failed")
        expectEqual(scene.target.calls, [.show(placeholder.index, in: .image)])

        scene.renew()
        // A failed picture is loaded again when it is requested again.
        do {
            let load = scene.binding.load(url(1))
            scene.answer.fail()
            _ = try await load.outcome
            try await scene.finish(1)
            expectEqual([scene.target.index, scene.loader.answers.count], [1, 2])
        }

        scene.renew()
        // A placeholder stays when the load fails, and the state has the error.
        do {
            let load = scene.binding.load(url(1), options: options { $0.placeholder = .now(placeholder) })
            scene.answer.fail()
            _ = try await load.outcome
            expectEqual(scene.target.calls, [.show(placeholder.index, in: .image)])
            guard case .failed(let error as ImageLoadError) = scene.binding.state().phase else {
                Issue.record("the state is \(scene.binding.state().phase)")
                return
            }
            expectEqual(error.code, .transferFailed)
        }
    }

    @Test(arguments: [CachePolicy.reload, .revalidate, .http])
    func `the previous picture of an address is its placeholder, also another variant of it, and the load goes on`(
        _ policy: CachePolicy
    ) async throws {
        // The previous picture of an address is its placeholder, and the load goes on.
        do {
            scene.loader.remember(picture(7), for: url(1))
            var request = ImageRequest(url(1))
            request.cachePolicy = policy
            let load = scene.binding.load(request, options: options { $0.placeholder = .previous(placeholder) })
            expectEqual(scene.target.calls, [.show(7, in: .image)])
            scene.answer.finish(picture(8))
            _ = try await load.outcome
            expectEqual(scene.target.calls, [.show(7, in: .image), .show(8, in: .image)])
        }

        scene.renew()
        // Another variant of the address stays where memory has none, another address does not.
        try await scene.finish(1)
        let before = scene.target.calls
        var small = ImageRequest(url(1))
        small.transformers = [.circle]
        let previous = options { $0.placeholder = .previous(placeholder) }
        scene.binding.load(small, options: previous)
        expectEqual(scene.target.calls, before)
        scene.binding.load(url(2), options: previous)
        expectEqual(scene.target.calls, before + [.show(placeholder.index, in: .image)])
    }

    @Test func `a picture of any size that memory holds is the placeholder, and the load goes on`() async throws {
        let wanted = options { $0.placeholder = .anySize(placeholder) }
        scene.loader.rememberAnySize(picture(7), for: url(1))
        let load = scene.binding.load(url(1), options: wanted)
        expectEqual(scene.target.calls, [.show(7, in: .image)])
        scene.answer.finish(picture(8))
        _ = try await load.outcome
        scene.binding.load(url(2), options: wanted)
        expectEqual(
            scene.target.calls,
            [.show(7, in: .image), .show(8, in: .image), .show(placeholder.index, in: .image)])
        scene.binding.cancelAll()
    }

    @Test func `a load without options has those of its binding, which may change its request`() async throws {
        let heard = Heard()
        scene.binding.defaultOptions = heard.options {
            $0.placeholder = .now(placeholder)
            $0.changeRequest = { $0.transformers.append(.circle) }
        }
        let load = scene.binding.load(url(1))
        expectEqual(scene.target.index, placeholder.index)
        expectEqual(load.request?.transformers.map(\.key), scene.answer.request.transformers.map(\.key))
        expectEqual(scene.answer.request.transformers.count, 1)
        scene.answer.finish(picture(1))
        _ = try await load.outcome
        expectEqual(heard.words, ["final 1", "finished"])
        // Options of its own replace them all.
        scene.binding.load(url(2), options: options { $0.showsPreviews = false })
        expectNil(scene.target.index)
        expectEmpty(scene.answer.request.transformers)
        scene.binding.cancelAll()
    }

    @Test func `a picture has the scale in its name if the options say so`() {
        let url = URL(string: "http://a.example/photo@3x.png")!
        scene.binding.load(url)
        expectEqual(scene.answer.request.scale, 1)
        scene.binding.load(url, options: options { $0.usesScaleInName = true })
        expectEqual(scene.answer.request.scale, 3)
        var request = ImageRequest(url)
        request.scale = 1.5
        scene.binding.load(request, options: options { $0.usesScaleInName = true })
        expectEqual(scene.answer.request.scale, 1.5)
        let names = [("a@2x.jpg", 2.0), ("a%402x.jpg?b@3x", 2), ("a@2x/b.jpg", 1), ("a@4x.jpg", 1), ("2x.jpg", 1)]
        for (name, scale) in names {
            expectEqual(ImageRequest(URL(string: "http://a.example/" + name)!).scaleInName, scale)
        }
    }

    @Test(arguments: [Placeholder.none, .now(placeholder), .late(placeholder)])
    func `a failure picture replaces every placeholder`(_ given: Placeholder) async throws {
        let load = scene.binding.load(
            url(1),
            options: options {
                $0.placeholder = given
                $0.failurePicture = failurePicture
            })
        scene.answer.fail()
        _ = try await load.outcome
        expectEqual(scene.target.index, failurePicture.index)
    }

    @Test(arguments: [Placeholder.now(placeholder), .late(placeholder)])
    func `a cancelled load calls back once, before its successor, and does not change the slot`(_ given: Placeholder)
        async throws
    {
        let heard = Heard()
        scene.binding.load(url(1), options: heard.options("first ") { $0.placeholder = given })
        let calls = scene.target.calls
        scene.binding.cancel(.image)
        expectEqual(scene.target.calls, calls)
        let load = scene.binding.load(url(2), options: heard.options("second ") { $0.placeholder = given })
        scene.answer.finish(picture(2))
        _ = try await load.outcome
        expectEqual(heard.words, ["first cancelled", "second final 2", "second finished"])
        expectEqual(scene.target.calls, calls + calls + [.show(2, in: .image)])
    }
}
