// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Loads that are tried again, and those that go on elsewhere.
@Suite(.balanced, .timeLimit(.minutes(1))) struct AttemptTests {
    private static let seeds = Seeds.first(20)
    private static let mirror = ImageRequest(URL(string: "https://mirror.test/7.png")!)

    /// Ways for a load to fail that another transfer may mend.
    enum Fault: CaseIterable {
        case cut, page, status, broken

        func answer(_ request: HTTPRequest) throws -> HTTPResponse {
            let bytes = try Pictures.png(1)
            switch self {
            case .cut:
                let error = HTTPError(code: .connectionLost, message: "cut")
                let body = AsyncThrowingStream<[UInt8], any Error> {
                    $0.yield(Array(bytes.prefix(50)))
                    $0.finish(throwing: error)
                }
                return HTTPResponse(status: 200, url: request.url, body: HTTPBody(body))
            case .page:
                return HTTPResponse(
                    status: 200, url: request.url, body: HTTPBody([Array("<html><body>Sorry</body></html>".utf8)]))
            case .status: return HTTPResponse(status: 503, url: request.url)
            case .broken:
                return HTTPResponse(
                    status: 200, url: request.url, body: HTTPBody([Array(bytes.prefix(bytes.count / 2))]))
            }
        }
    }

    /// Fails so many times with a fault, then answers.
    private static func failing(_ fault: Fault, _ count: Int) -> StubTransport.Answer {
        let asked = Journal<URL>()
        return { request in
            asked.write(request.url)
            return asked.count <= count ? try fault.answer(request) : try HTTPResponse.picture(1, for: request)
        }
    }

    @Test(arguments: Fault.allCases, Self.seeds)
    func `a load begins anew after the delay of its rule, and ends with the last error`(fault: Fault, seed: UInt64) {
        for (failures, isLoaded) in [(1, true), (2, true), (3, false)] {
            let scenario = ManagerScenario(seed: seed, answer: Self.failing(fault, failures))
            var request = ImageRequest.numbered(1)
            request.retry = .upTo(2, after: .seconds(5))
            let caller = scenario.loadInTurn(request)
            for attempt in 1..<min(failures + 1, 3) {
                expect(caller.isRunning)
                expectEqual(scenario.transport.requests.count, attempt)
                scenario.clock.advance(by: .seconds(4))
                scenario.executor.drain()
                expectEqual(scenario.transport.requests.count, attempt)
                scenario.clock.advance(by: .seconds(1))
                scenario.executor.drain()
            }
            expectEqual(caller.value != nil, isLoaded)
            expectEqual(scenario.transport.requests.count, min(failures + 1, 3))
            expectNil((caller.error as? ImageLoadError)?.failuresOfAlternatives.first)
        }
    }

    @Test func `a rule sees the request, the error and the attempts, and the rule of a request goes first`() {
        let (seen, other) = (Journal<String>(), Journal<String>())
        var configuration = ImageManager.Configuration.unchanged
        configuration.hooks.retry = LoadRetry { failure in
            seen.write(
                "\(failure.request.userInfo["name"] as? String ?? "-") \(failure.error.status ?? 0) \(failure.attemptCount)"
            )
            return failure.attemptCount < 3 ? .zero : nil
        }
        let scenario = ManagerScenario(seed: 1, configuration: configuration) {
            HTTPResponse(status: 404, url: $0.url)
        }
        var request = ImageRequest.numbered(1)
        request.userInfo["name"] = "anna"
        let caller = scenario.loadInTurn(request)
        expectEqual((caller.error as? ImageLoadError)?.code, .unacceptableStatus)
        expectEqual(seen.entries, ["anna 404 1", "anna 404 2", "anna 404 3"])
        expectEqual(scenario.transport.requests.count, 3)

        struct Mine: Error {}
        request.retry = LoadRetry { _ in
            other.write("asked")
            throw Mine()
        }
        request.url = ImageRequest.numbered(2).url
        let next = scenario.loadInTurn(request)
        expectEqual((next.error as? ImageLoadError)?.code, .hookFailed)
        expect((next.error as? ImageLoadError)?.cause is Mine)
        expectEqual(seen.entries.count, 3)
        expectEqual(other.entries.count, 1)
    }

    @Test func `the processor of requests sees each alternative, and may refuse it`() {
        struct Refused: Error {}
        var configuration = ImageManager.Configuration.unchanged
        configuration.hooks.requestProcessor = { request in
            if request.url == Self.mirror.url { throw Refused() }
            return request
        }
        let scenario = ManagerScenario(seed: 1, configuration: configuration) {
            HTTPResponse(status: 503, url: $0.url)
        }
        var request = ImageRequest.numbered(1)
        request.alternatives = [Self.mirror]
        let caller = scenario.loadInTurn(request)
        expectEqual((caller.error as? ImageLoadError)?.failuresOfAlternatives.map(\.code), [.hookFailed])
        expectEqual(scenario.transport.requests.map(\.url), [request.url])
    }

    @Test func `a missing picture and a remembered failure are final for the simple rule`() {
        let scenario = ManagerScenario(seed: 1) { HTTPResponse(status: 404, url: $0.url) }
        var request = ImageRequest.numbered(1)
        request.retry = .upTo(5)
        for _ in 0..<2 { expect(scenario.loadInTurn(request).error is ImageLoadError) }
        expectEqual(scenario.transport.requests.count, 1)
        // A page in place of a picture may be mended, but not within the time for which it is remembered.
        let other = ManagerScenario(seed: 1) { try Fault.page.answer($0) }
        other.loadInTurn(1)
        expectEqual(other.loadInTurn(request).code, .recentlyFailed)
        expectEqual(other.transport.requests.count, 1)
    }

    @Test(arguments: Self.seeds)
    func `a cancelled caller ends its wait at once, and a manager that has ended makes no other attempt`(seed: UInt64) {
        let scenario = ManagerScenario(seed: seed, answer: Self.failing(.status, .max))
        var request = ImageRequest.numbered(1)
        request.retry = .upTo(5)
        let caller = scenario.loadInTurn(request)
        let other = scenario.loadInTurn(request)
        caller.cancel()
        scenario.executor.drain()
        expect(caller.error is CancellationError)
        let manager = scenario.manager
        let end = Probe(on: scenario.executor) { await manager.shutdown(within: .seconds(1)) }
        scenario.executor.drain()
        expect(end.value != nil)
        expectEqual((other.error as? ImageLoadError)?.code, .shutDown)
        expectEqual(scenario.transport.requests.count, 2)
    }

    @Test(arguments: Fault.allCases, Self.seeds)
    func `any failure goes on to the alternatives, and the picture has both names`(fault: Fault, seed: UInt64) throws {
        let staged = try StagedManager(seed: seed) { request in
            guard request.url.host() == "mirror.test" else { return try fault.answer(request) }
            return try HTTPResponse.picture(for: request)
        }
        let resize = ResizeTransformer(size: PixelSize(width: 8, height: 8))
        var request = ImageRequest.numbered(1, transformers: [resize])
        request.headers["Authorization"] = "secret"
        request.cacheKey = "one"
        var mirror = Self.mirror
        mirror.headers["X-Mirror"] = "yes"
        mirror.cacheKey = "mirror"
        request.alternatives = [ImageRequest(URL(string: "https://gone.test/1.png")!), mirror]
        let caller = staged.loadInTurn(request)
        expectEqual(caller.value?.image.width, 8)
        let sent = staged.transport.requests
        expectEqual(sent.map { $0.url.host() }, ["example.org", "gone.test", "mirror.test"])
        expectEqual(sent.map { $0.headers["Authorization"] }, ["secret", nil, nil])
        expectEqual(sent.last?.headers["X-Mirror"], "yes")

        // The product is in memory under both names, the original on disk.
        mirror.transformers = [resize]
        request.alternatives = []
        for name in [request, mirror] { expectEqual(staged.manager.peek(name)?.pixels, caller.value?.image.pixels) }
        staged.manager.clearMemory(on: staged)
        for name in [request, mirror] {
            var whole = name
            whole.transformers = []
            let found = staged.loadInTurn(whole)
            expectEqual(found.value?.source, .disk)
            expectEqual(found.value.flatMap { ImageFactory.seed(of: $0.image) }, 7)
        }
        expectEqual(staged.transport.requests.count, 3)
    }

    @Test(arguments: Self.seeds)
    func `what the caches hold under the name of an alternative is found after the failure`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed) { request in
            guard request.url.host() == "mirror.test" else { throw HTTPError(code: .cannotConnect, message: "") }
            return try HTTPResponse.picture(for: request)
        }
        staged.loadInTurn(Self.mirror)
        var request = ImageRequest.numbered(1)
        request.alternatives = [Self.mirror]
        expectEqual(staged.loadInTurn(request).value?.source, .memory)
        expectEqual(staged.transport.requests.count, 2)
    }

    @Test(arguments: Self.seeds)
    func `a broken file that another load still holds is not used again`(seed: UInt64) throws {
        let scenario = ManagerScenario(seed: seed, answer: Self.failing(.broken, 1))
        // Its wish for the original lasts, and with it what the transfer has brought.
        let wish = scenario.manager.pipeline.jobs.wish(for: .numbered(1), RequestIdentity(.numbered(1)))
        var request = ImageRequest.numbered(1)
        request.retry = .upTo(1, after: .zero)
        let caller = scenario.loadInTurn(request)
        expect(caller.value != nil)
        expectEqual(scenario.transport.requests.count, 2)
        withExtendedLifetime(wish) {}
    }

    @Test func `what another origin has said is not sent to the first one`() {
        let scenario = ManagerScenario(seed: 1) { request in
            guard request.url.host() == "mirror.test" else { return HTTPResponse(status: 503, url: request.url) }
            let body = HTTPBody([try Pictures.png(7)])
            return HTTPResponse(status: 200, headers: ["ETag": "\"mirror\""], url: request.url, body: body)
        }
        var request = ImageRequest.numbered(1)
        request.alternatives = [Self.mirror]
        expectEqual(scenario.loadInTurn(request).value?.origin?.entityTag, "\"mirror\"")
        (request.cachePolicy, request.alternatives) = (.revalidate, [])
        scenario.loadInTurn(request)
        expectEqual(scenario.transport.requests.last?.url, request.url)
        expectNil(scenario.transport.requests.last?.headers["If-None-Match"])
    }

    @Test(arguments: Self.seeds)
    func `an alternative takes the place of nothing that the first origin has sent`(seed: UInt64) throws {
        let asked = Journal<URL>()
        let staged = try StagedManager(seed: seed) { request in
            asked.write(request.url)
            let isLost = asked.count > 1 && request.url.host() != "mirror.test"
            return isLost ? HTTPResponse(status: 503, url: request.url) : try HTTPResponse.picture(for: request)
        }
        // Its write may still wait.
        let first = staged.load(.numbered(1))
        while first.isRunning { staged.run(steps: 1) }
        var request = ImageRequest.numbered(1, transformers: [ResizeTransformer(size: PixelSize(width: 8, height: 8))])
        (request.alternatives, request.cachePolicy) = ([Self.mirror], .reload)
        expectEqual(staged.loadInTurn(request).value?.image.width, 8)
        expectNil(staged.manager.peek(request))
        staged.manager.clearMemory(on: staged)
        let stored = staged.loadInTurn(.numbered(1)).value
        expectEqual(stored?.source, .disk)
        expectEqual(stored.flatMap { ImageFactory.seed(of: $0.image) }, 1)
        expectEqual(staged.transport.requests.count, 3)
    }

    @Test func `when all alternatives fail, the first error has the others`() {
        let scenario = ManagerScenario(seed: 1) { request in
            HTTPResponse(status: request.url.host() == "mirror.test" ? 410 : 404, url: request.url)
        }
        var request = ImageRequest.numbered(1)
        request.alternatives = [Self.mirror]
        let error = scenario.loadInTurn(request).error as? ImageLoadError
        expectEqual(error?.status, 404)
        expectEqual(error?.failuresOfAlternatives.map(\.status), [410])
        expectEqual(error?.failuresOfAlternatives.first?.url, Self.mirror.url)
    }

    @Test func `what an alternative brings for one user is not kept for all`() {
        let scenario = ManagerScenario(seed: 1) { request in
            guard request.url.host() == "mirror.test" else { return HTTPResponse(status: 503, url: request.url) }
            return try HTTPResponse.picture(for: request)
        }
        var (request, mirror) = (ImageRequest.numbered(1), Self.mirror)
        mirror.headers["Authorization"] = "secret"
        request.alternatives = [mirror]
        expect(scenario.loadInTurn(request).value != nil)
        expectNil(scenario.manager.peek(request))
        request.headers["Authorization"] = "of the same user"
        expect(scenario.loadInTurn(request).value != nil)
        expect(scenario.manager.peek(request) != nil)
    }

    @Test func `HTTP's rules keep nothing of an alternative under the first name`() {
        let scenario = ManagerScenario(seed: 1) { request in
            guard request.url.host() == "mirror.test" else { return HTTPResponse(status: 404, url: request.url) }
            return try HTTPResponse.picture(for: request)
        }
        var request = ImageRequest.numbered(1)
        request.cachePolicy = .http
        request.alternatives = [Self.mirror]
        expect(scenario.loadInTurn(request).value != nil)
        expectNil(scenario.manager.peek(request))
    }
}

extension ImageManager {
    fileprivate nonisolated func clearMemory(on staged: StagedManager) {
        let clearing = staged.start { try await $0.clear(.memory) }
        staged.run()
        expect(clearing.value != nil)
    }
}
