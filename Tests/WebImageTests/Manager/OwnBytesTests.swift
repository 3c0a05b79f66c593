// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Pictures whose files the program brings: uploads, rows of a database.
@Suite(.balanced, .timeLimit(.minutes(1))) struct OwnBytesTests {
    private static let small: [any ImageTransforming] = [.resize(to: PixelSize(width: 4, height: 4))]

    /// Two pictures in files of one length.
    private static func twins() throws -> [[UInt8]] {
        let files = try (1...2).map { try Pictures.png($0) }
        let length = files.map(\.count).max() ?? 0
        return files.map { $0 + [UInt8](repeating: 0, count: length - $0.count) }
    }

    /// Notes which picture it gets.
    private struct Noted: ImageTransforming {
        let number: Int
        let journal: Journal<Int>
        var key: String { "noted" }

        func resultSize(for size: PixelSize) -> PixelSize { size }
        func transform(_ image: DecodedImage) -> DecodedImage {
            journal.write(number)
            return image
        }
    }

    private static func cached(_ bytes: [UInt8], transformers: [any ImageTransforming] = small) -> ImageRequest {
        var request = ImageRequest(bytes: bytes, transformers: transformers)
        (request.cacheReads, request.cacheWrites) = (.all, .all)
        return request
    }

    @Test(arguments: fewerSeeds)
    func `bytes become pictures and files without a transfer, and no cache keeps anything`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let bytes = try Pictures.png(7)
        for round in 1...2 {
            let picture = staged.loadInTurn(ImageRequest(bytes: bytes)).value
            expectEqual(picture.flatMap { ImageFactory.seed(of: $0.image) }, 7)
            expectEqual(
                [picture?.source, staged.dataInTurn(ImageRequest(bytes: bytes)).value?.source],
                [
                    .program, .program,
                ])
            let file = staged.dataInTurn(ImageRequest(bytes: bytes[...], transformers: Self.small), as: .webp()).value
            expectEqual([file?.width, file?.height, staged.coder.decodes], [4, 4, 3 * round])
            expectEqual(file.map { $0.cacheStatus().isHit }, false)
        }
        expectEqual(staged.manager.memoryStatistics.count, 0)
        expectAll(staged.fileCount == 0, staged.transport.requests.isEmpty, staged.isAtRest)
        expectEqual(staged.manager.counters.downloads, 0)
    }

    @Test(arguments: fewerSeeds)
    func `equal bytes of two callers are one job, and other bytes of that length are another`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let twins = try Self.twins()
        let files = [twins[0], Array(twins[0].reversed().reversed()), twins[1]]
        let callers = files.map { staged.load(ImageRequest(bytes: $0)) }
        staged.run(without: .pixels)
        expectEqual(staged.manager.pipeline.processing.queue.originalByteCount, 2 * twins[0].count)
        staged.run()
        expectEqual(callers.map { $0.value.flatMap { ImageFactory.seed(of: $0.image) } }, [1, 1, 2])
        expectEqual(staged.coder.decodes, 2)
        expect(staged.isAtRest)
    }

    @Test func `the whole SHA-256 names the bytes, and no address has such a name`() throws {
        let request = ImageRequest(bytes: Array("abc".utf8))
        expectEqual(
            request.url.absoluteString,
            "nih:sha-256;ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        let names = try Self.twins().map { ImageRequest(bytes: $0).originalKey } + [request.originalKey]
        expectEqual(Set(names).count, 3)
        expect(request.originalKey != ImageRequest(request.url).originalKey)
        expect(RequestIdentity(request) != RequestIdentity(ImageRequest(request.url)))

        // An array is not copied.
        let bytes = [UInt8](repeating: 1, count: 1_000)
        guard case .bytes(let held)? = ImageRequest(bytes: bytes).content else { throw CancellationError() }
        let places = [bytes, held].map { unsafe $0.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
        expectEqual(places[0], places[1])

        // Another URL makes it a request for an address; the same one does not.
        var other = request
        other.url = request.url
        expect(other.content != nil)
        other.url = ImageRequest.numbered(1).url
        expectEqual(other.originalKey, ImageRequest.numbered(1).originalKey)
        expectNil(other.content)
    }

    @Test(arguments: fewerSeeds)
    func `a request for the URL of some bytes neither gets them nor makes their load fail`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed) { _ in throw HTTPError(code: .unsupportedURL, message: "") }
        let own = Self.cached(try Pictures.png(7))
        for _ in 0..<2 {
            let (stranger, caller) = (staged.load(ImageRequest(own.url, transformers: Self.small)), staged.load(own))
            staged.run()
            expectEqual(stranger.code != nil, true)
            expectEqual(caller.value?.image.width, 4)
        }
    }

    @Test(arguments: fewerSeeds)
    func `what is made of bytes is cached when asked, under their name, and they are not`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let request = Self.cached(try Pictures.png(7))
        var cachedOnly = request
        cachedOnly.cachePolicy = .onlyIfCached
        expectEqual(staged.loadInTurn(cachedOnly).code, .notInCache)
        expectNil(staged.manager.peek(request))
        for source in [ImageSource.program, .memory, .disk] {
            if source == .disk { staged.emptyMemory() }
            expectEqual(staged.loadInTurn(request).value?.source, source)
            let file = staged.dataInTurn(request, as: .webp())
            expectEqual(file.value?.source, source == .program ? .memory : source)
        }
        expectEqual(staged.loadInTurn(cachedOnly).value?.image.width, 4)
        expect(staged.manager.peek(request) != nil)
        expectAll(staged.coder.decodes == 2, staged.fileCount == 2, staged.isAtRest)

        // Whatever the policy, no origin is asked; one of them makes the picture anew.
        for policy in CachePolicy.allCases {
            var request = request
            request.cachePolicy = policy
            expectEqual(staged.loadInTurn(request).value?.source, policy == .reload ? .program : .memory)
        }
        for _ in 0..<2 {
            let whole = Self.cached(try Pictures.png(7), transformers: [])
            expectEqual(staged.dataInTurn(whole, as: .original).value?.source, .program)
        }
        let removal = staged.start { try await $0.remove(request) }
        staged.run()
        expectAll(removal.value != nil, staged.fileCount == 0, staged.transport.requests.isEmpty)
        expectNil(staged.manager.peek(request))
    }

    @Test(arguments: fewerSeeds)
    func `bytes that are no picture are 415, broken ones 422, too large ones 413, and none is remembered`(
        seed: UInt64
    ) throws {
        var configuration = ImageManager.Configuration.unchanged
        configuration.downloader.maximumByteCount = 5_000
        let staged = try StagedManager(seed: seed, configuration: configuration)
        let picture = try Pictures.png(7)
        var narrow = ImageRequest(bytes: picture)
        narrow.limits = ImageLimits(maximumPixelCount: 100)
        var short = ImageRequest(bytes: picture)
        short.transfer.maximumBodyByteCount = 99
        let (page, half) = (Array("<html>no picture</html>".utf8), Array(picture.prefix(picture.count / 2)))
        let cases: [(ImageRequest, Int)] = [
            (ImageRequest(bytes: page), 415), (ImageRequest(bytes: half), 422), (narrow, 413), (short, 413),
            (ImageRequest(bytes: picture + [UInt8](repeating: 0, count: 5_000)), 413), (ImageRequest(bytes: []), 415),
        ]
        for (request, status) in cases {
            for _ in 0..<2 {
                let error = staged.loadInTurn(request).error as? ImageLoadError
                expectEqual(error?.suggestedHTTPStatus, status)
                expectEqual(error?.url, request.url)
                expect(error?.code != .recentlyFailed)
            }
        }
        expectEqual(staged.manager.counters.failed, 2 * cases.count)
        configuration.downloader.maximumByteCount = .max
        let busy = try StagedManager(seed: seed, configuration: configuration)
        var large = ImageRequest(bytes: page + [UInt8](repeating: 0x20, count: 100_000))
        large.coders = Identified(identity: "strict", .default)  // the counting coder takes everything
        let refused = busy.load(large)
        busy.run(without: .pixels)
        expectEqual(refused.code, .undecodable, "it does not wait for a thread")
        expectEqual(staged.occupancy()?.rememberedByteCount, 0, "a failure that is remembered keeps its bytes")
        expect(staged.isAtRest)
    }

    @Test(arguments: fewerSeeds) func `hooks for addresses and transfers are not asked`(seed: UInt64) throws {
        var configuration = ImageManager.Configuration.unchanged
        configuration.hooks.cacheKey = { _ in "one for all" }
        configuration.hooks.shouldDownload = { _ in false }
        configuration.hooks.bodyTransformer = Identified(identity: "empty") { _, _ in [] }
        let staged = try StagedManager(seed: seed, configuration: configuration)
        for number in 1...2 {
            let picture = staged.loadInTurn(Self.cached(try Pictures.png(number), transformers: [])).value
            expectEqual(picture.flatMap { ImageFactory.seed(of: $0.image) }, number)
        }
    }

    @Test(arguments: fewerSeeds) func `urgent bytes go first, and after the end none are taken`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed, width: 1)
        let order = Journal<Int>()
        let callers = try zip(1..., [ImagePriority.normal, .low, .veryLow, .high, .normal]).map { number, priority in
            let bytes = try Pictures.png(number)
            let request = ImageRequest(
                bytes: bytes, transformers: [Noted(number: number, journal: order)], priority: priority)
            let caller = staged.load(request)
            // The first has the thread when the others come.
            staged.run(without: .pixels)
            return caller
        }
        staged.run()
        expectEqual(order.entries, [1, 4, 5, 2, 3])
        expect(callers.allSatisfy { $0.value != nil })

        let end = staged.shutdown()
        staged.run()
        expectEqual(end.value?.isClean, true)
        expectEqual(staged.loadInTurn(ImageRequest(bytes: try Pictures.png(1))).code, .shutDown)
    }
}
