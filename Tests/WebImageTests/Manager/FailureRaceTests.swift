// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Remembered failures under races of callers, tenants and cancellations.
@Suite(.balanced, .timeLimit(.minutes(1))) struct FailureRaceTests {
    @Test(arguments: seeds) func `a caller that retries failures never gets the remembered failure of another`(
        seed: UInt64
    ) throws {
        let served = Journal<Int>()
        let staged = try StagedManager(seed: seed, hasDisk: false) { request in
            served.write(0)
            return served.count == 1 ? HTTPResponse(status: 404, url: request.url) : try .picture(for: request)
        }
        staged.loadInTurn(.numbered(1))
        // Called from an actor, so that the flight does not begin and end within the call.
        let meek = staged.start { try await Elsewhere().load(.numbered(1), with: $0) }
        var request = ImageRequest.numbered(1)
        request.retriesFailed = true
        staged.runSome(upTo: 8)
        let insisting = staged.loadInTurn(request)
        expectAll(meek.value != nil || meek.code == .recentlyFailed, insisting.value != nil)
        staged.emptyMemory()
        let after = staged.loadInTurn(.numbered(1))
        expect(after.value != nil, "a success ends the failure")
    }

    @Test(arguments: seeds)
    func `a page of dead links asks the origin once for each, and tenants share no failure`(seed: UInt64) throws {
        // A page of dead links asks the origin once for each, whatever the timing.
        let staged = try StagedManager(seed: seed, hasDisk: false) { HTTPResponse(status: 404, url: $0.url) }
        let callers = (0..<12).map { number in
            let caller = staged.load(.numbered(number % 3))
            staged.runSome()
            return caller
        }
        staged.run()
        expect(callers.allSatisfy { $0.code == .unacceptableStatus || $0.code == .recentlyFailed })
        expectEqual(staged.transport.requests.count, 3)

        // The failure of one tenant does not affect another.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: false) { request in
                if request.headers["Authorization"] == "bad" { return HTTPResponse(status: 404, url: request.url) }
                return try .picture(for: request)
            }
            let callers = ["bad", "good", "bad"].map { tenant in
                var request = ImageRequest.numbered(1)
                request.headers["Authorization"] = tenant
                let caller = staged.load(request)
                staged.runSome()
                return caller
            }
            let anonymous = staged.loadInTurn(.numbered(1))
            expect(callers[0].code == .unacceptableStatus && callers[1].value != nil && anonymous.value != nil)
        }
    }

    @Test(arguments: seeds)
    func `neither a cancelled load nor a broken file on disk is a failure that is remembered`(seed: UInt64) throws {
        // A cancelled load is not remembered as failed.
        // A coder that reports a broken file when it is cancelled.
        let callers = Holder()
        let staged = try StagedManager(
            seed: seed,
            coder: CountingCoder {
                callers.cancel()
                if Task.isCancelled { throw ImageError(code: .truncated, message: "cut short") }
            })
        callers.hold([staged.load(.numbered(1))], on: staged.executor)
        staged.run()
        expect(callers.allCancelled)
        callers.letGo()
        let next = staged.loadInTurn(.numbered(1))
        expect(next.value != nil)

        // The same of a file that is kept without a decode.
        do {
            let callers = Holder()
            let staged = try StagedManager(
                seed: seed,
                coder: CountingCoder(whileReading: {
                    callers.cancel()
                    if Task.isCancelled { throw ImageError(code: .truncated, message: "cut short") }
                }))
            var request = ImageRequest.numbered(1)
            request.changeParts { $0.provesOriginal = false }
            callers.hold([staged.data(request, as: .original)], on: staged.executor)
            staged.run()
            expect(callers.allCancelled)
            callers.letGo()
            let next = staged.data(request, as: .original)
            staged.run()
            expect(next.value != nil)
        }

        // A broken file on disk is fetched again at once and is not a failure.
        do {
            let staged = try StagedManager(seed: seed)
            let bad = DiskEntry(metadata: EntryMetadata(url: "x", contentType: "image/png"), bytes: [1, 2, 3, 4])
            let key = ImageRequest.numbered(1).originalKey
            _ = staged.start { try await $0.diskCache?.store(bad, for: key) }
            staged.run()
            let callers = (0..<2).map { _ in staged.load(.numbered(1)) }
            staged.run()
            expectAll(callers.allSatisfy { $0.value?.source == .network }, staged.transport.requests.count == 1)
            staged.emptyMemory()
            let next = staged.loadInTurn(.numbered(1))
            expectEqual(next.value?.source, .disk)
        }
    }

    @Test(arguments: seeds)
    func `every failure is one typed error, and stores nothing under the variant's name`(seed: UInt64) throws {
        // Every failure is one typed error.
        let staged = try StagedManager(seed: seed, hasDisk: false) { request in
            switch request.url.lastPathComponent {
            case "0.png": HTTPResponse(status: 200, url: request.url)
            case "1.png": HTTPResponse(status: 204, url: request.url)
            case "2.png": HTTPResponse(status: 200, url: request.url, body: HTTPBody([[0]]))
            default: throw HTTPError(code: .cannotConnect, message: "refused")
            }
        }
        let callers = (0..<4).map { staged.load(.numbered($0)) }
        staged.run()
        expectEqual(callers.map(\.code), [.emptyBody, .emptyBody, .undecodable, .transferFailed])

        // A failed transform stores nothing under the variant's name.
        do {
            struct Broken: ImageTransforming {
                var key: String { "broken" }
                func transform(_ image: DecodedImage) throws -> DecodedImage {
                    throw ImageError(code: .malformed, message: "cannot")
                }
            }
            let staged = try StagedManager(seed: seed)
            let request = ImageRequest.numbered(1, transformers: [Broken()])
            let callers = (0..<2).map { _ in staged.load(request) }
            staged.run()
            expect(callers.allSatisfy { $0.code == .processingFailed })
            expectNil(staged.manager.peek(request))
            let stored = staged.start { try await $0.diskCache?.contains(request.variantKey) }
            staged.run()
            expectAll(stored.value == false, staged.isAtRest)
        }
    }
}

private actor Elsewhere {
    func load(_ request: ImageRequest, with manager: ImageManager) async throws -> ImageResponse {
        try await manager.load(request)
    }
}
