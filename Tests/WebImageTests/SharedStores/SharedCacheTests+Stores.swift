// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import SharedStores
@testable import WebImage

/// Several shared stores, what is counted, and the leases of a process.
extension SharedCacheTests {
    private static let url = URL(string: "https://images.example/1.png")!

    @Test func `a store in trouble, or without an entry, does not hide that of a later one, and each is counted`()
        async throws
    {
        _ = try await one.store(sampleEntry(1), for: original)
        _ = try await one.store(made(of: 1), for: file)
        try await flush(one)
        let (broken, empty) = (ScriptedStore(), ScriptedStore())
        broken.change { $0.isBroken = true }
        let cache = SharedCache(local: nil, stores: [broken, empty, store])
        try await expectEqual(cache.entry(for: original)?.bytes, sampleEntry(1).bytes)
        try await expect(cache.entry(for: file, madeFrom: original) != nil)
        try await expectEqual(cache.metadata(for: original)?.etag, "\"1\"")
        // What is asked about an original is no look-up of an entry.
        expectEqual([cache.counters.hits, cache.counters.misses, cache.counters.troubles], [2, 4, 4])
        try await cache.remove(original)
        for key in [SharedKey(original), .about(original)] { expectNil(store.present.values[key]) }
        try await expectNil(other.metadata(for: original))
    }

    @Test func `the counters are the sums of those of all stores`() {
        let paths: [any WritableKeyPath<SharedCache.Counters, Int> & Sendable] = [
            \.hits, \.misses, \.troubles, \.droppedWrites, \.refusedWrites, \.leases, \.joins,
        ]
        let cache = SharedCache(local: nil, stores: [ScriptedStore(), ScriptedStore()])
        for (number, path) in paths.enumerated() {
            for lane in cache.lanes { for _ in 0...number { lane.count(path) } }
        }
        for (number, path) in paths.enumerated() { expectEqual(cache.counters[keyPath: path], 2 * (number + 1)) }
    }

    @Test func `what others hear of an entry is dated, and of the content of its bytes`() async throws {
        let time = TestTime()
        var configuration = SharedCache.Configuration()
        configuration.now = { time.now }
        let cache = SharedCache(local: nil, stores: [store], configuration: configuration)
        var entry = sampleEntry(1)
        (entry.metadata.generation, entry.metadata.storedAt) = (ContentGeneration(rawValue: 9), 5)
        _ = try await cache.store(entry, for: original)
        try await flush(cache)
        for _ in 0..<2 {
            let known = try required(try await other.metadata(for: original))
            expectEqual(known.generation, ContentGeneration(of: entry.bytes))
            expectEqual(known.storedAt, time.now.wholeSeconds)
            time.advance(by: .seconds(100))
            _ = try await cache.renew(original, ifContentIs: nil) { $0.etag = "new" }
            try await flush(cache)
        }
    }

    @Test func `no lease is asked for what is here or is not shared, and trouble is told`() async throws {
        _ = try await one.local?.store(sampleEntry(1), for: original)
        try await expectNil(one.claim(original, for: Self.url, hearsFailures: true))
        let picture = CacheKey(original, suffix: "\0variant")
        try await expectNil(other.claim(picture, for: Self.url, hearsFailures: true))
        expectEqual([store.present.lastToken, Int64(other.counters.troubles)], [0, 0])
        store.change { [original] in $0.values[SharedKey(original)] = [] }
        try await expectNil(other.claim(original, for: Self.url, hearsFailures: true))
        expectEqual([other.counters.leases, other.counters.joins], [0, 1])
        store.change { $0.isBroken = true }
        try await expectNil(other.claim(file, for: Self.url, hearsFailures: true))
        expectEqual([other.counters.troubles, other.table.count], [1, 0])
        _ = try await other.store(sampleEntry(2), for: file)
        await settle(other)
        expectEqual([other.counters.troubles, other.counters.droppedWrites], [2, 1], "a write that fails is not made")
    }

    @Test func `a failure is shared as long as it lasts, and a load that leaves says nothing`() async throws {
        let failure = ImageLoadError(code: .unacceptableStatus, message: "gone", url: Self.url, status: 404)
        for (error, isCancelled, isLasting) in [
            (failure as any Error, false, true), (failure, false, false), (failure, true, true),
            (CancellationError(), false, true),
        ] {
            let lease = try required(try await other.claim(original, for: Self.url, hearsFailures: true))
            lease.fail(error, isCancelled: isCancelled, isLasting: isLasting)
            try await flush(other)
            store.change { $0.words = [:] }
        }
        let word = try required(SharedFailure(failure)).encoded
        expectEqual(
            store.present.ends,
            [.failed(word, lifetime: .seconds(60)), .failed(word, lifetime: .seconds(1)), .released, .released])
    }

    @Test func `the end of an earlier lease of an entry does not end a later one`() async throws {
        let leases = (1...2).map { SharedLease(key: SharedKey(original), token: $0) }
        let holds = leases.map { LeaseHold(original, $0, in: other) }
        other.table.enter(holds[0])
        expectEqual(other.table.take(original), leases[0])
        other.table.enter(holds[1])
        expectNil(other.table.take(original, token: 1))
        expect(other.table.hold(of: original) === holds[1])
        expectEqual(other.table.take(original, token: 2), leases[1])
        expectEqual(other.table.count, 0)
    }

    @Test func `a word of another process is no longer than ours, and of a kind that all have`() throws {
        let codes: [ImageLoadError.Code] = [
            .transferFailed, .unacceptableStatus, .unacceptableContentType, .emptyBody, .processingFailed,
        ]
        for code in codes {
            let word = try required(SharedFailure(ImageLoadError(code: code, message: "x", url: Self.url, status: 500)))
            let heard = SharedFailure(word.encoded)?.error(Self.url)
            expectEqual(heard?.code, code)
            expectEqual(heard?.status, 500)
            expectEqual(heard?.url, Self.url)
        }
        expectNil(SharedFailure(ImageLoadError(code: .overloaded, message: "x", url: Self.url)))
        var failure = try required(SharedFailure(ImageLoadError(code: .undecodable, message: "x", url: Self.url)))
        failure.message = String(repeating: "m", count: 5_000)
        expectEqual(SharedFailure(failure.encoded)?.message.count, 1_000)
        failure.code = ImageLoadError.Code.recentlyFailed.description
        expectNil(SharedFailure(failure.encoded))
        expectNil(SharedFailure(failure.encoded + [0]))
    }
}
