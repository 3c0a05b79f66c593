// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Overlapping loads of old and new content of one address.
@Suite(.balanced, .timeLimit(.minutes(1))) struct FreshnessTests {
    /// The seed of the picture counts the answers: 1, then 2, and so on.
    ///
    /// - Parameter gate: Holds the answer to the second request.
    private static func staged(_ seed: UInt64, gate: Gate? = nil, width: Int = 1) throws -> StagedManager {
        let served = Journal<Int>()
        return try StagedManager(seed: seed, gate: gate, holding: 2, width: width) { request in
            served.write(0)
            let count = served.count
            let body = HTTPBody([try Pictures.png(count)])
            return HTTPResponse(status: 200, headers: ["ETag": "\"\(count)\""], url: request.url, body: body)
        }
    }

    private struct Unchanged: ImageTransforming {
        var key: String { "unchanged" }
        func transform(_ image: DecodedImage) -> DecodedImage { image }
    }

    private static func requests(
        _ transformers: [any ImageTransforming], _ policy: CachePolicy = .reload
    ) -> (old: ImageRequest, new: ImageRequest) {
        let old = ImageRequest.numbered(1, transformers: transformers)
        var new = old
        new.cachePolicy = policy
        return (old, new)
    }

    private static func seed(_ image: DecodedImage?) -> Int? { image.flatMap { ImageFactory.seed(of: $0) } }

    @Test(arguments: [true, false], seeds)
    func `a stale result never overwrites a newer one`(isVariant: Bool, seed: UInt64) throws {
        // A stale result never overwrites a newer one: from disk.
        let staged = try Self.staged(seed)
        let (old, new) = Self.requests(isVariant ? [Unchanged()] : [])
        // The original alone, so that the variant has to be made.
        staged.loadInTurn(.numbered(1))
        staged.emptyMemory()
        let callers = [staged.load(old)]
        staged.run(without: .pixels)
        let refresh = staged.loadInTurn(new)
        expectEqual([Self.seed(callers[0].value?.image), Self.seed(refresh.value?.image)], [1, 2])
        expectEqual(Self.seed(staged.manager.peek(old)), 2, "in memory")
        staged.emptyMemory()
        let next = staged.loadInTurn(old)
        expectEqual(Self.seed(next.value?.image), 2, "and on disk")

        // A stale result never overwrites a newer one: from the origin.
        do {
            let staged = try Self.staged(seed)
            let (old, new) = Self.requests([])
            let first = staged.load(old)
            staged.run(without: .pixels)
            let refresh = staged.loadInTurn(new)
            expectEqual([Self.seed(first.value?.image), Self.seed(refresh.value?.image)], [1, 2])
            expectEqual(Self.seed(staged.manager.peek(old)), 2)
            staged.emptyMemory()
            let next = staged.loadInTurn(old)
            expectEqual(next.value?.source, .disk)
            expectEqual(Self.seed(next.value?.image), 2)
        }
    }

    @Test(arguments: [CachePolicy.reload, .revalidate], seeds)
    func `a refresh and cached loads at any time end with the newest content`(
        policy: CachePolicy, seed: UInt64
    ) throws {
        let staged = try Self.staged(seed)
        let (old, new) = Self.requests([], policy)
        staged.loadInTurn(old)
        staged.emptyMemory()
        var callers: [Probe<ImageResponse>] = []
        for turn in 0..<4 {
            callers.append(staged.load(turn == 2 ? new : old))
            staged.runSome(upTo: 25)
        }
        staged.run()
        expect(callers.allSatisfy { $0.value != nil } && Self.seed(callers[2].value?.image) == 2)
        expectAll(Self.seed(staged.manager.peek(old)) == 2, staged.isAtRest)
    }

    /// Two loads that share a transfer, and one with a transfer of its own: the first request must have been answered.
    private static func sharing() -> (reload: ImageRequest, another: ImageRequest, conditional: ImageRequest) {
        let (old, reload) = requests([])
        var (another, conditional) = (reload, old)
        another.cacheReads = .memory
        conditional.cachePolicy = .revalidate
        return (reload, another, conditional)
    }

    @Test(arguments: seeds) func `loads that share a transfer, and a conditional one, end with the newest content`(
        seed: UInt64
    ) throws {
        let staged = try Self.staged(seed)
        let (reload, another, conditional) = Self.sharing()
        var named = reload
        named.cacheKey = "a name of its own"
        staged.loadInTurn(reload)
        var callers: [Probe<ImageResponse>] = []
        for request in [reload, another, named, conditional].shuffled(using: &staged.random) {
            var request = request
            request.waitsForStores = seed.isMultiple(of: 3)
            let caller = staged.load(request)
            if request.cacheKey == nil { callers.append(caller) }
            staged.runSome(upTo: 25)
        }
        staged.run()
        let values = callers.compactMap(\.value)
        let newest = values.max { $0.number < $1.number }
        expectEqual(values.count, 3)
        expectEqual(Self.seed(staged.manager.peek(.numbered(1))), Self.seed(newest?.image))
        staged.emptyMemory()
        let next = staged.loadInTurn(.numbered(1))
        expectEqual(next.value?.source, .disk)
        expectEqual(Self.seed(next.value?.image), Self.seed(newest?.image))
    }

    @Test(arguments: [false, true], seeds)
    func `the last caller of an overtaken transfer stores nothing of it`(isFirstNamed: Bool, seed: UInt64) throws {
        let gate = Gate()
        let staged = try Self.staged(seed, gate: gate)
        let (reload, another, conditional) = Self.sharing()
        staged.loadInTurn(reload)
        var first = reload
        if isFirstNamed { first.cacheKey = "a name of its own" }
        let callers = [staged.load(first), staged.load(another)]
        staged.run()
        callers[0].cancel()
        let newer = staged.loadInTurn(conditional)
        staged.open(gate)
        // The older request has the later answer.
        expectEqual([Self.seed(callers[1].value?.image), Self.seed(newer.value?.image)], [3, 2])
        expectEqual(Self.seed(staged.manager.peek(.numbered(1))), 2)
        staged.emptyMemory()
        let next = staged.loadInTurn(.numbered(1))
        expectEqual(next.value?.source, .disk)
        expectEqual(Self.seed(next.value?.image), 2)
    }

    @Test(arguments: [false, true], seeds)
    func `a variant that waits for a transfer is made from its content, or not at all`(
        fails: Bool, seed: UInt64
    ) throws {
        let (gate, served) = (Gate(), Journal<Int>())
        let staged = try StagedManager(seed: seed, gate: gate, holding: 2) { request in
            served.write(0)
            if fails, served.count == 2 { return HTTPResponse(status: 500, url: request.url) }
            return try .picture(served.count, for: request)
        }
        staged.loadInTurn(.numbered(1))
        staged.emptyMemory()
        var variant = ImageRequest.numbered(1, transformers: [Unchanged()])
        variant.cacheReads = .memory
        let caller = staged.loadInTurn(variant)
        // The original comes into memory meanwhile, from disk.
        let old = staged.loadInTurn(.numbered(1))
        staged.open(gate)
        expectEqual(Self.seed(old.value?.image), 1)
        expect(fails ? caller.code == .unacceptableStatus : Self.seed(caller.value?.image) == 2)
        expectEqual(Self.seed(staged.manager.peek(variant)), (fails ? nil : 2))
    }

    @Test(arguments: seeds)
    func `a stale file never overwrites a newer one, nor does another address of its key`(seed: UInt64) throws {
        // A stale file never overwrites a newer one, in memory or on disk.
        do {
            let staged = try Self.staged(seed)
            let (old, new) = Self.requests([])
            let first = staged.data(old, as: .jpeg())
            staged.run(without: .pixels)
            let refresh = staged.dataInTurn(new, as: .jpeg())
            let newest = refresh.value?.bytes
            expectAll(newest != nil, first.value?.bytes != newest)
            for source in [ImageSource.memory, .disk] {
                let next = staged.dataInTurn(old, as: .jpeg())
                expectEqual(next.value?.source, source)
                expectEqual(next.value?.bytes, newest)
                staged.emptyMemory()
            }
        }

        // A cache key that two addresses share keeps the newest content.
        // Two pictures are decoded at once, so that the newer one may be ready first.
        let staged = try Self.staged(seed, width: 2)
        let requests = (1...2).map { number in
            var request = ImageRequest.numbered(number)
            (request.cacheKey, request.cachePolicy) = ("name", .reload)
            return request
        }
        let older = staged.load(requests[0])
        staged.run(without: .pixels)
        let newer = staged.loadInTurn(requests[1])
        expectEqual([Self.seed(older.value?.image), Self.seed(newer.value?.image)], [1, 2])
        expectEqual(Self.seed(staged.manager.peek(requests[0])), 2)
    }

    @Test(arguments: seeds)
    func `a picture being written, or on disk when no load runs, is not downloaded again`(seed: UInt64) throws {
        // A picture that is still being written is not downloaded again.
        let staged = try Self.staged(seed)
        var request = ImageRequest.numbered(1)
        request.cacheReads = .disk
        request.cacheWrites = .disk
        let first = staged.load(request)
        while first.isRunning, staged.canRun { staged.run(steps: 1) }
        let second = staged.loadInTurn(request)
        expectEqual(second.value?.source, .disk)
        expectEqual(staged.transport.requests.count, 1)

        // Once no load of a picture runs, the file on disk counts as the newest again.
        do {
            let staged = try Self.staged(seed)
            let (old, new) = Self.requests([])
            let callers = [staged.load(old), staged.load(new)]
            let download = staged.start { try await $0.downloader.download(old) }
            staged.run()
            expectEqual(staged.manager.pipeline.order.count, 0, "what a caller keeps holds no address")
            staged.emptyMemory()
            let next = staged.loadInTurn(old)
            expectAll(callers.allSatisfy { $0.value != nil }, next.value?.source == .disk)
            expect(download.value != nil && staged.manager.peek(old) != nil, "it goes back into memory")
        }
    }
}
