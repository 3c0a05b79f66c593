// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import HTTPLoaders
@testable import HTTPTransport

/// The rules of a client in one value.
@Suite(.timeLimit(.minutes(1)))
struct TransferRulesTests {
    private let stub = StubLoader()
    private let url = URL(string: "http://a.example/x")!

    @Test func `the defaults try again and resume, and no rules leave the loader as it is`() async throws {
        var rules = TransferRules()
        rules.retries?.firstDelay = .zero
        let head = StubReply.ok([1, 2, 3, 4]).header("ETag", "\"v1\"").failing(after: 2)
        let rest = StubReply.status(
            206, headers: ["Content-Range": "bytes 2-3/4", "ETag": "\"v1\""], bytes: [3, 4])
        stub.respond(to: "/x", with: .status(503), head, .status(503), rest)
        let loader = rules.loader(around: stub)
        try await expectEqual(loader.bytes(HTTPRequest(url: url)), [1, 2, 3, 4])
        // The request for the rest is tried again, too.
        expectEqual(stub.requests.map { $0.headers["Range"] }, [nil, nil, "bytes=2-", "bytes=2-"])

        (rules.retries, rules.maximumResumptions) = (nil, nil)
        expect(rules.loader(around: stub) as? StubLoader === stub)
        await loader.shutdown()
        expect(stub.isShutDown)
    }

    @Test func `rates count each attempt, and an origin that fails is spared`() async throws {
        var rules = TransferRules()
        rules.retries?.firstDelay = .zero
        rules.retries?.maximumAttempts = 2
        rules.maximumFailureCount = 2
        rules.rateOfHost = HTTPRateLimit(1, per: .milliseconds(1))
        stub.respond(to: "/x", with: .status(503))
        let loader = rules.loader(around: stub)
        try await expectEqual(loader.send(HTTPRequest(url: url)).status, 503)
        await expectHTTPError(.circuitOpen) { try await loader.send(HTTPRequest(url: url)) }
        expectEqual(stub.requestCount, 2)
        var wrapped = loader
        var names: [String] = []
        while let wrapping = wrapped as? any HTTPLoaderWrapping {
            names.append("\(type(of: wrapping))")
            wrapped = wrapping.loader
        }
        expectEqual(names, ["ResumingLoader", "RetryingLoader", "CircuitBreakingLoader", "RateLimitingLoader"])
    }

    @Test func `each rate holds by itself, and beginnings are kept for all loaders`() async throws {
        var rules = TransferRules()
        let rare = HTTPRateLimit(1, per: .seconds(86_400))
        let other = URL(string: "http://b.example/x")!
        stub.respond(to: "/x", with: .ok([1]))
        for isForAll in [true, false] {
            (rules.rate, rules.rateOfHost) = isForAll ? (rare, nil) : (nil, rare)
            let loader = rules.loader(around: stub)
            try await expectEqual(loader.bytes(HTTPRequest(url: url)), [1])
            if isForAll {
                await expectHTTPError(.overloaded) { try await loader.get(other) }
            } else {
                try await expectEqual(loader.bytes(HTTPRequest(url: other)), [1])
                await expectHTTPError(.overloaded) { try await loader.get(url) }
            }
        }
        (rules.rate, rules.rateOfHost, rules.maximumResumptions) = (nil, nil, 0)
        let rest = StubReply.status(
            206, headers: ["Content-Range": "bytes 2-3/4", "ETag": "\"v1\""], bytes: [3, 4])
        let stub = StubLoader()
        stub.respond(to: "/x", with: .ok([1, 2, 3, 4]).header("ETag", "\"v1\"").failing(after: 2), rest)
        await expectHTTPError { try await rules.loader(around: stub).bytes(HTTPRequest(url: url)) }
        expectEqual(rules.partialBodies.count, 1)
        try await expectEqual(rules.loader(around: stub).bytes(HTTPRequest(url: url)), [1, 2, 3, 4])
    }

    @Test func `a loader around another one is for the same requests and ends it`() async throws {
        let named = StubLoader(schemes: ["a"])
        let inner = HTTPLoaderChain(DataURLLoader(), named)
        for loader in [
            RetryingLoader(inner), CircuitBreakingLoader(inner), RateLimitingLoader(inner), ResumingLoader(inner),
            AlternativesLoader(inner) { _ in [] },
        ] as [any HTTPLoading] {
            expectEqual(loader.schemes, ["data", "a"])
            expectEqual(loader.localSchemes, ["data"])
            let can = ["data:,x", "a:x", "b:x"].map { loader.canLoad(HTTPRequest(url: URL(string: $0)!)) }
            expectEqual(can, [true, true, false])
            await loader.shutdown()
        }
        expect(named.isShutDown)
    }
}
