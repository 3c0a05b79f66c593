// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.balanced, .timeLimit(.minutes(1))) struct FailureTests {
    private static let missing: StubTransport.Answer = { HTTPResponse(status: 404, url: $0.url) }

    @Test
    func `a missing picture is not requested again at once, unless its failure is retried, forgotten or temporary`() {
        do {
            let scenario = ManagerScenario(seed: 1, answer: Self.missing)
            let first = scenario.loadInTurn(1)
            let second = scenario.loadInTurn(1)
            expectEqual((first.error as? ImageLoadError)?.code, .unacceptableStatus)
            let repeated = second.error as? ImageLoadError
            expectEqual(repeated?.code, .recentlyFailed)
            expectEqual(repeated?.reason, "unacceptableStatus")
            expectAll((first.error as? ImageLoadError)?.failedAt == nil, repeated?.failedAt != nil)
            expectEqual((repeated?.cause as? ImageLoadError)?.failedAt, repeated?.failedAt)
            expectEqual(
                first.error.map { "\($0)" },
                "unacceptableStatus: The origin answered with status 404 instead of a picture. "
                    + "(https://example.org/1.png)")
            expectEqual(scenario.transport.requests.count, 1)
        }

        // A request may retry a remembered failure.
        do {
            let scenario = ManagerScenario(seed: 1, answer: Self.missing)
            var request = ImageRequest.numbered(1)
            request.retriesFailed = true
            for _ in 0..<2 {
                let caller = scenario.loadInTurn(request)
                expectEqual((caller.error as? ImageLoadError)?.code, .unacceptableStatus)
            }
            expectEqual(scenario.transport.requests.count, 2)
        }

        // A retry that succeeds ends the memory of the failure.
        do {
            let asked = Journal<Int>()
            let scenario = ManagerScenario(seed: 1) { request in
                asked.write(0)
                return try asked.count == 1 ? Self.missing(request) : .picture(for: request)
            }
            scenario.loadInTurn(1)
            for retries in [true, false] {
                var request = ImageRequest.numbered(1)
                (request.cachePolicy, request.retriesFailed) = (.reload, retries)
                expect(scenario.loadInTurn(request).value != nil)
            }
        }

        // A forgotten failure is tried again.
        do {
            let scenario = ManagerScenario(seed: 1, answer: Self.missing)
            let manager = scenario.manager
            scenario.loadInTurn(1)
            _ = Probe(on: scenario.executor) { manager.forgetFailures() }
            scenario.executor.drain()
            scenario.loadInTurn(1)
            expectEqual(scenario.transport.requests.count, 2)
        }

        // A temporary failure is not remembered.
        for status in [429, 500, 503] {
            let scenario = ManagerScenario(seed: 1) { HTTPResponse(status: status, url: $0.url) }
            for _ in 0..<2 {
                scenario.loadInTurn(1)
            }
            expectEqual(scenario.transport.requests.count, 2, "status \(status)")
        }
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a picture that is stored after a failure is found`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed, answer: Self.missing)
        let first = staged.loadInTurn(.numbered(1))
        let bytes = try Pictures.png(1)
        let storing = staged.start { try await $0.store(bytes, for: .numbered(1)) }
        staged.run()
        let second = staged.loadInTurn(.numbered(1))
        expectAll(first.code == .unacceptableStatus, storing.error == nil, second.value != nil)
        expectEqual(staged.transport.requests.count, 1)
    }

    @Test func `a page, an empty response, a body beyond the limit and a type that is not accepted are errors`() {
        // A page sent as a picture is an error that names its type, whatever that is.
        for type in ["text/html", "image/png", "image/jpeg; q=1"] {
            let scenario = ManagerScenario(seed: 1) { request in
                let page = Array("<!DOCTYPE html><html><body>Sign in</body></html>".utf8)
                return HTTPResponse(
                    status: 200, headers: ["Content-Type": type], url: request.url, body: HTTPBody([page]))
            }
            let caller = scenario.loadInTurn(1)
            let error = caller.error as? ImageLoadError
            expectEqual(error?.code, .undecodable)
            expectEqual(error?.reason, "unknownFormat")
            expectEqual(error?.message.contains(type), true)
        }

        // An empty response is an error.
        do {
            let scenario = ManagerScenario(seed: 1) { HTTPResponse(status: 200, url: $0.url) }
            let caller = scenario.loadInTurn(1)
            expectEqual((caller.error as? ImageLoadError)?.code, .emptyBody)
        }

        // A body beyond the limit is an error, announced or not.
        var configuration = ImageManager.Configuration()
        configuration.downloader.maximumByteCount = 100
        for isAnnounced in [true, false] {
            let scenario = ManagerScenario(seed: 1, configuration: configuration) { request in
                // Begins as a JPEG does.
                let chunks = [[0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 48)] + (0..<60).map { _ in [1] }
                let stream = AsyncStream { continuation in
                    for chunk in chunks { continuation.yield(chunk) }
                    continuation.finish()
                }
                return HTTPResponse(
                    status: 200, url: request.url, body: isAnnounced ? HTTPBody(chunks) : HTTPBody(stream))
            }
            let caller = scenario.loadInTurn(1)
            expectEqual((caller.error as? ImageLoadError)?.reason, "bodyTooLarge")
        }

        // A content type can be required.
        do {
            var configuration = ImageManager.Configuration()
            configuration.downloader.acceptableContentTypes = ["Image/PNG"]
            for (type, isAccepted) in [
                ("image/png; charset=x", true), ("image/png ;q=1", true), ("IMAGE/PNG", true), ("text/html", false),
            ] {
                let scenario = ManagerScenario(seed: 1, configuration: configuration) { request in
                    let picture = try HTTPResponse.picture(for: request)
                    return HTTPResponse(
                        status: 200, headers: ["Content-Type": type], url: request.url, body: picture.body)
                }
                let caller = scenario.loadInTurn(1)
                expectEqual((caller.value != nil), isAccepted, "\(type)")
            }
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a file on disk that does not decode is removed before the origin is asked`(seed: UInt64) throws {
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate) { HTTPResponse(status: 503, url: $0.url) }
        let bad = DiskEntry(metadata: EntryMetadata(url: "x", contentType: "image/png"), bytes: [1, 2, 3, 4])
        _ = staged.start { try await $0.diskCache?.store(bad, for: ImageRequest.numbered(1).originalKey) }
        staged.run()
        expectEqual(staged.fileCount, 1)
        let caller = staged.loadInTurn(.numbered(1))
        expectEqual([staged.transport.open, staged.fileCount], [1, 0])
        staged.open(gate)
        expectEqual(caller.code, .unacceptableStatus)
        expectEqual(staged.fileCount, 0)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a 304 to an unconditional request is an unacceptable status`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed) { HTTPResponse(status: 304, url: $0.url) }
        let load = staged.load(.numbered(1))
        let download = staged.start { try await $0.downloader.download(.numbered(2)) }
        staged.run()
        for error in [load.error, download.error] {
            let error = error as? ImageLoadError
            expectEqual(error?.code, .unacceptableStatus)
            expectEqual(error?.status, 304)
        }
        expectAll(staged.isAtRest, staged.fileCount == 0)
    }

    @Test func `a failure that is remembered keeps nothing of the program's own`() {
        final class Own: Sendable {}
        let scenario = ManagerScenario(seed: 1) { HTTPResponse(status: 404, url: $0.url) }
        weak var kept: Own?
        do {
            let own = Own()
            kept = own
            var request = ImageRequest.numbered(1)
            request.userInfo["own"] = own
            scenario.loadInTurn(request)
        }
        expectEqual(scenario.manager.pipeline.failures.count, 1)
        expectNil(kept)
    }
}
