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
}
