// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImageBinding

@MainActor
@Suite(.balancedOnMainActor, .timeLimit(.minutes(1)))
struct ReplacementTests {
    let scene = Scene()

    @Test(arguments: ["replaced", "cancelled", "cleared"])
    func `a picture delivered and not yet taken when its load ended is never shown`(_ how: String) async throws {
        let load = scene.binding.load(url(1))
        let task = try required(load.feed?.task)
        // Delivered: the reader has been resumed and waits for the main actor, which this test does not leave.
        scene.answer.finish(picture(1))
        switch how {
        case "replaced": scene.binding.load(url(2))
        case "cancelled": scene.binding.cancel(.image)
        default: scene.binding.clear()
        }
        await task.value
        expectEqual(load.currentOutcome?.isCancelled, true)
        expectNil(scene.target.index)
    }

    /// The differences between a request and the one of the running load.
    enum Difference: CaseIterable {
        case none, priority, policy, reads, writes, insistence, method, headers, body, modifier, name, frames, size
        case stores, lifetime, limits, retry, alternatives

        func apply(to request: inout ImageRequest) {
            switch self {
            case .none: break
            case .priority: request.priority = .high
            case .policy: request.cachePolicy = .reload
            case .reads: request.cacheReads = .disk
            case .writes: request.cacheWrites = .disk
            case .insistence: request.retriesFailed = true
            case .method: request.method = "POST"
            case .headers: request.headers = ["Authorization": "one"]
            case .body: request.body = [1]
            case .modifier: request.modifier = RequestModifier(identity: "one") { $0 }
            case .name: request.cacheKey = "one"
            case .frames: request.firstFrameOnly = true
            case .size: request.transformers = [.resize(to: PixelSize(width: 1, height: 1))]
            case .stores: request.waitsForStores = true
            case .lifetime: request.lifetime = CacheLifetime(.absolute(.seconds(1)))
            case .limits: request.limits = ImageLimits(maximumPixelCount: 1)
            case .retry: request.retry = .upTo(1)
            case .alternatives: request.alternatives = [ImageRequest(url(2))]
            }
        }
    }

    @Test(arguments: Difference.allCases, [false, true])
    func `only a request that is equal up to its priority takes over a transfer`(
        difference: Difference, isOfFirst: Bool
    ) async throws {
        var other = request(1)
        difference.apply(to: &other)
        let first = scene.binding.load(isOfFirst ? other : request(1))
        let second = scene.binding.load(isOfFirst ? request(1) : other)
        expectEqual(first.currentOutcome?.isCancelled, true)
        expectEqual(scene.loader.answers.count, (difference == .none ? 1 : 2))
        guard scene.loader.answers.count == 2 || difference == .none else { return }
        expectEqual((second.outgoingFeed != nil), (difference == .priority))
        if difference != .none, difference != .priority { await until { scene.loader.answers[0].wasLeft } }
        scene.answer.finish(picture(1))
        try await expectEqual(second.outcome.picture?.image.index, 1)
    }

    @Test func `of 500 replacements only the last is shown`() async throws {
        var tasks: [Task<Void, Never>] = []
        let gates = (0..<500).map { _ in Gate() }
        for index in 0..<500 {
            scene.loader.answerStubbornly {
                await gates[index].pass()
                return response(picture(index))
            }
            tasks.append(try required(scene.binding.load(url(index)).feed?.task))
        }
        for index in gates.indices.shuffled() { gates[index].open() }
        for task in tasks { await task.value }
        expectEqual([scene.target.index, scene.target.calls.count { $0 != .show(nil, in: .image) }], [499, 1])
        expect(!scene.binding.isLoading)
    }

    @Test
    func `a new load cancels the old one, or leaves it to its caller, and all are cancelled together`() async throws {
        // A new load cancels the old one by default.
        scene.binding.load(url(1))
        scene.binding.load(url(2))
        await until { scene.loader.answers[0].wasLeft }
        expect(!scene.loader.answers[1].wasLeft)

        scene.renew()
        // An old load may continue for its caller, without reaching the target.
        do {
            let heard = Heard()
            let first = scene.binding.load(url(1), options: heard.options("first "))
            let second = scene.binding.load(
                url(2), options: heard.options("second ") { $0.cancelsPreviousLoad = false })
            expectEqual(scene.loader.answers.map(\.wasLeft), [false, false])
            scene.loader.answers[1].finish(picture(2))
            _ = try await second.outcome
            expect(scene.binding.isLoading)
            scene.loader.answers[0].progress(1, of: 2)
            scene.loader.answers[0].finish(picture(1))
            try await expectEqual(first.outcome.picture?.image.index, 1)
            expectEqual(scene.target.index, 2)
            expectEqual(scene.binding.state().url, url(2))
            expectNil(scene.binding.state().progress)
            expectEqual(
                heard.words, ["second final 2", "second finished", "first 1", "first final 1", "first finished"])
            expect(!scene.binding.isLoading)
        }

        scene.renew()
        // Everything is cancelled together, replaced loads too.
        let first = scene.binding.load(url(1))
        scene.binding.load(url(2), options: options { $0.cancelsPreviousLoad = false })
        scene.binding.load(url(3), into: ImageSlot("badge"))
        scene.binding.cancelAll()
        expectEqual(first.currentOutcome?.isCancelled, true)
        await until { scene.loader.open.isEmpty }
        expect(!scene.binding.isLoading)
    }

    @Test
    func `a load that is started while another is replaced, or when a picture is shown, is the newest`() async throws {
        // A load that is started while another is being replaced is the newest.
        var third: BoundLoad?
        scene.binding.load(
            url(1), options: options { $0.onEnd = { _ in third = scene.binding.load(url(3)) } })
        let second = scene.binding.load(url(2))
        expectEqual(second.currentOutcome?.isCancelled, true)
        expectEqual(third?.hasEnded, false)
        expectEqual(scene.binding.state().url, url(3))
        await until { scene.loader.open.map(\.request.url) == [url(3)] }

        scene.renew()
        // A load that is started when a picture is shown is the newest.
        do {
            scene.target.onShow = { shown in
                if shown?.index == 1 { scene.binding.load(url(2)) }
            }
            defer { scene.target.onShow = nil }
            let heard = Heard()
            let first = scene.binding.load(url(1), options: heard.options { $0.transition = FakeTransition() })
            scene.answer.finish(picture(1, frames: 3))
            try await expect(first.outcome.isCancelled)
            expectEqual(heard.words, ["cancelled"])
            expectNil(scene.target.index)
            scene.answer.finish(picture(2))
            await until { scene.target.index == 2 }
            for _ in 0..<100 { await Task.yield() }
            expectEqual(scene.clock.started, 0)
        }
    }
}
