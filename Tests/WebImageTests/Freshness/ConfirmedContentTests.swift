// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Which stored content an answer of the origin, or its failure, is about.
@Suite(.balanced, .timeLimit(.minutes(1))) struct ConfirmedContentTests {
    private static let few: Range<UInt64> = 0..<10

    @Test func `a stored file that no origin has sent is not confirmed by what memory knows of another`() throws {
        let stage = try HTTPStage([:])
        expectEqual(stage.version(.numbered(1)), 1)
        let file = Original(ofProgram: try Pictures.png(7))
        let properties = try ImageCoders.default.properties(of: file.bytes, options: DecodeOptions())
        let entry = file.entry(properties, [], url: ImageRequest.numbered(1).url, [:])
        _ = stage.staged.start { try await $0.diskCache?.store(entry, for: ImageRequest.numbered(1).originalKey) }
        stage.staged.run()
        expectEqual(stage.version(HTTPStage.request { $0.cachePolicy = .revalidate }), 1)
        stage.staged.emptyMemory()
        expectEqual(stage.version(.numbered(1)), 1)
    }

    @Test(
        arguments: [
            (.cannotConnect, 1), (.timedOut, 1), (.addressNotAllowed, nil), (.fileNotAllowed, nil),
            (.redirectNotAllowed, nil), (.bodyTooLarge, nil), (.compressionRatioExceeded, nil), (.invalidRequest, nil),
        ] as [(HTTPError.Code, Int?)], [false, true])
    func `a refusal by this program's own policy, or of a body, is not answered with a stale picture`(
        _ row: (code: HTTPError.Code, version: Int?), fromDisk: Bool
    ) throws {
        // A refusal by this program's own policy is not answered with a stale picture.
        let stage = try HTTPStage(["Cache-Control": "max-age=60, stale-if-error=600"])
        _ = stage.load()
        stage.pass(60)
        stage.origin.set { $0.failure = row.code }
        if fromDisk { stage.staged.emptyMemory() }
        expectEqual(stage.version(), row.version)
        expectEqual(stage.code(), (row.version == nil ? .transferFailed : nil))

        // A body that has become too large is not answered with a stale picture.
        do {
            let stage = try HTTPStage(["Cache-Control": "max-age=60, stale-if-error=600"]) {
                $0.downloader.maximumByteCount = 2_000
            }
            _ = stage.load()
            stage.origin.set { ($0.version, $0.side) = (2, 64) }
            stage.pass(60)
            expectEqual(stage.code(), .transferFailed)
        }
    }

    @Test(
        arguments: [
            (.shared, "max-age=60", 2), (.shared, "public, max-age=60", 1), (.private, "max-age=60", 1),
        ] as [(HTTPCacheRules, String, Int)], [false, true])
    func `what another policy has stored for a credential is not used by the rules of a shared cache without asking`(
        _ row: (rules: HTTPCacheRules, control: String, asked: Int), isModified: Bool
    ) throws {
        let stage = try HTTPStage(["Cache-Control": .init(row.control)]) { $0.cacheRules = row.rules }
        func request(_ policy: CachePolicy) -> ImageRequest {
            HTTPStage.request {
                if isModified { $0.modifier = RequestModifier(identity: "signed") { $0 } }
                if !isModified { $0.headers = ["Authorization": "Bearer x"] }
                $0.cachePolicy = policy
            }
        }
        expectAll(stage.loads(request(.cacheFirst)), stage.asked == 1)
        expectAll(stage.loads(request(.http)), stage.asked == row.asked)
    }

    @Test(arguments: [false, true], few)
    func `a 304 renews the views of the content that it confirms alone, and no other picture in memory is used`(
        small: Bool, seed: UInt64
    ) throws {
        // After a 304 the picture in memory is used only if it was made from the content that is confirmed.
        let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
        let request = HTTPStage.request(small: small) { $0.cachePolicy = .revalidate }
        _ = (stage.load(request), stage.file(.png, request))
        // Another manager on the same disk.
        let (executor, disk) = (stage.staged.executor, stage.staged.manager.diskCache)
        let other = ImageManager.seeded(on: executor, stage.staged.transport) { $0.disk = disk }
        stage.origin.set { $0.version = 2 }
        let change = Probe(on: executor) { try await other.load(request) }
        stage.staged.run()
        expectAll(change.value != nil, stage.asked == 3)
        let (response, file) = (try stage.load(request)?.get(), stage.file(.png, request))
        expect(stage.staged.transport.requests.suffix(2).allSatisfy { $0.headers["If-None-Match"] == "\"2\"" })
        let expected = small ? nil : 2
        expectEqual(response.flatMap { ImageFactory.seed(of: $0.image) }, expected)
        let decoded = try ImageCoders.default.decode(try required(file).bytes)
        try expect(decoded.isSame(as: required(response).image))
        expectEqual(response?.content.value.generation, ContentGeneration(of: try Pictures.png(2)))

        // A 304 renews only the views of the content that it confirms.
        do {
            let stage = try HTTPStage(["Cache-Control": "max-age=60"], seed: seed)
            let (request, small) = (HTTPStage.request(), HTTPStage.request(small: true))
            _ = stage.load(request)
            let image = ImageFactory.picture(width: 4, height: 4, seed: 7)
            let storing = stage.staged.start { await $0.store(image, for: small) }
            stage.staged.run()
            expect(storing.value != nil)
            stage.pass(60)
            expectEqual([stage.version(request), stage.asked], [1, 2])
            let pipeline = stage.staged.manager.pipeline
            expectEqual(pipeline.held(small, Picture(), small.variantKey)?.image.isSame(as: image), true)
            expectNil(
                pipeline.held(small, Picture(), small.variantKey)?.origin,
                "it was stored by hand, and is as old as it was")
            expectEqual(pipeline.held(request, Picture(), request.variantKey)?.origin?.receivedAt, pipeline.now())
        }
    }

    @Test(arguments: [false, true], few) func `what a response was selected by survives a 304`(
        fromDisk: Bool, seed: UInt64
    ) throws {
        let stage = try HTTPStage(["Cache-Control": "max-age=60", "Vary": "Accept-Language"], seed: seed)
        func request(_ language: String) -> ImageRequest {
            HTTPStage.request { ($0.cacheKey, $0.headers) = ("name", ["Accept-Language": language]) }
        }
        _ = stage.load(request("de"))
        stage.pass(60)
        expectAll(stage.loads(request("de")), stage.asked == 2)
        if fromDisk { stage.staged.emptyMemory() }
        expectAll(stage.loads(request("de")), stage.asked == 2)
        expect(stage.loads(request("en")) && stage.asked == 3, "another language is another picture")
    }

    @Test(arguments: few) func `a part of a body does not pass for the whole when a cancelled sequence just ends`(
        seed: UInt64
    ) throws {
        // What has arrived is a whole picture, so nothing else keeps it out of the caches.
        let bytes = try Pictures.png(1)
        let staged = try StagedManager(seed: seed) { request in
            HTTPResponse(
                status: 200, url: request.url, body: HTTPBody(EndlessBody(first: bytes, endsSilently: true)))
        }
        let caller = staged.loadInTurn(.numbered(1))
        caller.cancel()
        staged.run()
        expectAll(caller.wasCancelled, staged.manager.counters.downloadedByteCount == 0)
        expectNil(staged.manager.peek(.numbered(1)))
        expectEqual(staged.fileCount, 0)
        let transport = StubTransport { request in
            HTTPResponse(
                status: 200, url: request.url, body: HTTPBody(EndlessBody(first: bytes, endsSilently: true)))
        }
        let (executor, arrivals) = (SeededExecutor(seed: seed), Journal<Int>())
        let downloader = ImageDownloader(
            configuration: .init(), transport: transport, hub: ActivityHub(), contents: ContentOrder(),
            executor: executor, inspect: { _ in }, onArrival: { arrivals.write($1.bytes.count) })
        let download = Probe(on: executor) { try await downloader.download(.numbered(1)) }
        executor.drain()
        download.cancel()
        executor.drain()
        expect(download.wasCancelled && arrivals.count == 0, "other loads of the address are not told of it")
    }
}
