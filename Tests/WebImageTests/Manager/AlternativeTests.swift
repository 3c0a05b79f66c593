// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What an alternative takes along of the request, and what it leaves behind.
@Suite(.balanced, .timeLimit(.minutes(1))) struct AlternativeTests {
    private static let mirror = ImageRequest(URL(string: "https://mirror.test/7.png")!)

    /// A manager whose first origin fails.
    private static func scenario() -> ManagerScenario {
        ManagerScenario(seed: 1) { request in
            guard request.url.host() == "mirror.test" else { return HTTPResponse(status: 503, url: request.url) }
            return try HTTPResponse.picture(for: request)
        }
    }

    @Test func `no credential of a request is sent to its alternatives, of which eight are asked`() {
        let scenario = ManagerScenario(seed: 1) { HTTPResponse(status: 503, url: $0.url) }
        var request = ImageRequest.numbered(1)
        request.transfer.credential = .bearer("secret")
        request.transfer.cookies.values = ["user": "anna"]
        request.modifier = RequestModifier(identity: "signed") { plain in
            var signed = plain
            signed.headers["X-Signature"] = "0123"
            return signed
        }
        request.alternatives = (0..<10).map { ImageRequest(URL(string: "https://mirror.test/\($0).png")!) }
        request.alternatives[1].transfer.credential = .bearer("other")
        request.alternatives[2].modifier = RequestModifier(identity: "its own") { plain in
            var signed = plain
            signed.headers["X-Signature"] = "4567"
            return signed
        }
        let error = scenario.loadInTurn(request).error as? ImageLoadError
        expectEqual(error?.failuresOfAlternatives.count, 8)
        let sent = scenario.transport.requests.map(\.options)
        expectEqual(
            sent.map { try? $0.credential?.fieldValue() },
            ["Bearer secret", nil, "Bearer other"] + .init(repeating: nil, count: 6))
        expectEqual(sent.map(\.cookies.values.count), [1] + .init(repeating: 0, count: 8))
        expectEqual(
            scenario.transport.requests.map { $0.headers["X-Signature"] },
            ["0123", nil, nil, "4567"] + .init(repeating: nil, count: 5))
    }

    @Test func `an alternative is looked up where both requests read`() {
        let scenario = Self.scenario()
        scenario.loadInTurn(Self.mirror)
        var (request, mirror) = (ImageRequest.numbered(1), Self.mirror)
        mirror.cacheReads = .none
        request.alternatives = [mirror]
        expectEqual(scenario.loadInTurn(request).value?.source, .network)
        expectEqual(scenario.transport.requests.map { $0.url.host() }, ["mirror.test", "example.org", "mirror.test"])
    }

    @Test(
        arguments: [(.all, .all, true), (.none, .all, false), (.all, .none, false)]
            as [(CacheAccess, CacheAccess, Bool)])
    func `what an alternative brings is kept where both requests write`(
        writes: CacheAccess, mirrorWrites: CacheAccess, isKept: Bool
    ) {
        let scenario = Self.scenario()
        let manager = scenario.manager
        var (request, mirror) = (ImageRequest.numbered(1), Self.mirror)
        (request.cacheWrites, mirror.cacheWrites) = (writes, mirrorWrites)
        let name = MemoryKey.file(request.fileKey(.jpeg()))
        request.alternatives = [mirror]
        let file = Probe(on: scenario.executor) { [request] in try await manager.encodedImage(for: request, as: .jpeg())
        }
        expect(scenario.loadInTurn(request).value != nil && file.value != nil)
        expectEqual([manager.peek(request) != nil, manager.pipeline.caches.memory.contains(name)], [isKept, isKept])
    }

    @Test func `what another origin has said of a file is not sent to the first one`() {
        let scenario = ManagerScenario(seed: 1) { request in
            guard request.url.host() == "mirror.test" else { return HTTPResponse(status: 503, url: request.url) }
            let body = HTTPBody([try Pictures.png(7)])
            return HTTPResponse(status: 200, headers: ["ETag": "\"mirror\""], url: request.url, body: body)
        }
        let manager = scenario.manager
        func file(_ request: ImageRequest) -> EncodedImage? {
            let probe = Probe(on: scenario.executor) { try await manager.encodedImage(for: request) }
            scenario.executor.drain()
            return probe.value
        }
        var request = ImageRequest.numbered(1)
        request.alternatives = [Self.mirror]
        expectEqual(file(request)?.origin?.entityTag, "\"mirror\"")
        (request.cachePolicy, request.alternatives) = (.revalidate, [])
        _ = file(request)
        expectEqual(scenario.transport.requests.last?.url, request.url)
        expectNil(scenario.transport.requests.last?.headers["If-None-Match"])
    }

    @Test func `a load that would wait for itself has no alternative`() {
        let (scenario, manager) = (Self.scenario(), Later<ImageManager>())
        manager.set(scenario.manager)
        var request = ImageRequest.numbered(1) { _ = try await manager.value.load(.numbered(2)) }
        request.alternatives = [Self.mirror]
        expectEqual(scenario.loadInTurn(request).code, .reentrant)
        expectEmpty(scenario.transport.requests)
    }

    @Test(arguments: [nil, "avatar"])
    func `what an alternative has for one user alone is not kept under the name of the request`(name: String?) {
        let scenario = Self.scenario()
        var (request, mirror) = (ImageRequest.numbered(1), Self.mirror)
        request.cacheKey = name
        mirror.headers["Authorization"] = "secret"
        let plain = request
        request.alternatives = [mirror]
        expect(scenario.loadInTurn(request).value != nil)
        expect(scenario.manager.peek(mirror) != nil)
        expectNil(scenario.manager.peek(plain))
    }

    @Test(arguments: Seeds.first(50))
    func `callers with one alternative report no write that was not needed`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed) { request in
            guard request.url.host() == "mirror.test" else { return HTTPResponse(status: 503, url: request.url) }
            return try HTTPResponse.picture(for: request)
        }
        var request = ImageRequest.numbered(1)
        request.alternatives = [Self.mirror]
        let callers = (0..<3).map { _ in staged.load(request) }
        staged.run()
        expect(callers.allSatisfy { $0.value != nil })
        expectEqual(staged.fileCount, 2)
        let end = staged.shutdown()
        staged.run()
        expectEqual(end.value?.isClean, true)
    }

    @Test func `a picture that the program fails to make has an alternative at an address`() {
        struct Mine: Error {}
        let scenario = Self.scenario()
        var request = ImageRequest(id: "chart") { throw Mine() }
        request.alternatives = [Self.mirror]
        expectEqual(scenario.loadInTurn(request).value?.source, .network)
        expectEqual(scenario.transport.requests.map(\.url), [Self.mirror.url])
    }
}
