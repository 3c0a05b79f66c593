// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import SharedStores
@testable import WebImage

/// A local store before shared ones.
struct SharedCacheTests {
    let original = CacheKey("https://images.example/1.png")
    let file: CacheKey
    let store = ScriptedStore()
    let folder: TemporaryFolder
    let one: SharedCache
    let other: SharedCache

    init() throws {
        file = CacheKey(original, suffix: "\0variant\0encodedpng")
        folder = try TemporaryFolder(isInMemory: true)
        one = SharedCache(local: DiskCache(.init(folder: folder.path)), stores: [store])
        other = SharedCache(local: nil, stores: [store])
    }

    /// A file made of the original with this number.
    func made(of number: Int) -> DiskEntry {
        var entry = sampleEntry(50)
        entry.metadata.madeFrom = ContentGeneration(of: sampleEntry(number).bytes)
        return entry
    }

    /// Waits until the shared store has everything, and hands nothing over any more.
    func settle(_ cache: SharedCache) async { for lane in cache.lanes { await lane.drain() } }

    /// Waits until the shared store has what was handed over, which it gets in order.
    func flush(_ cache: SharedCache) async throws { try await cache.remove(CacheKey("none")) }

    @Test
    func `another machine finds originals and files, but no bytes above the limit, and no picture`() async throws {
        // Another machine finds originals and files, and no picture that a disk keeps for itself.
        let picture = CacheKey(original, suffix: "\0variant")
        for (key, number) in [(original, 1), (file, 50), (picture, 60)] {
            try await expect(one.store(sampleEntry(number), for: key).isStored)
        }
        await settle(one)
        try await expectEqual(other.entry(for: original)?.bytes, sampleEntry(1).bytes)
        try await expectEqual(other.metadata(for: original)?.generation, sampleEntry(1).metadata.generation)
        try await expectEqual(other.entry(for: file)?.bytes, sampleEntry(50).bytes)
        try await expectNil(other.entry(for: picture))
        try await expectEqual(one.entry(for: picture)?.bytes, sampleEntry(60).bytes)
        expectEqual([store.present.values.count, other.counters.hits], [3, 2])

        // Of an original above the limit, others know all but the bytes.
        let store = ScriptedStore(maximumOriginalByteCount: 99)
        let (one, other) = (SharedCache(local: nil, stores: [store]), SharedCache(local: nil, stores: [store]))
        _ = try await one.store(sampleEntry(1), for: original)
        _ = try await one.store(made(of: 1), for: file)
        await settle(one)
        try await expectNil(other.entry(for: original))
        try await expectEqual(other.metadata(for: original)?.etag, "\"1\"")
        try await expectEqual(other.metadata(for: original)?.generation, sampleEntry(1).metadata.generation)
        try await expect(other.entry(for: file, madeFrom: original) != nil)
    }

    @Test func `a file of an earlier original does not count, nor one of a removed original`() async throws {
        _ = try await one.store(sampleEntry(1), for: original)
        _ = try await one.store(made(of: 1), for: file)
        try await flush(one)
        try await expect(other.entry(for: file, madeFrom: original) != nil)
        _ = try await one.store(sampleEntry(2), for: original)
        try await flush(one)
        try await expectEqual(other.metadata(for: original)?.etag, "\"2\"")
        try await expectNil(other.entry(for: file, madeFrom: original))
        try await flush(other)
        _ = try await one.store(made(of: 2), for: file)
        try await flush(one)
        try await expect(other.entry(for: file, madeFrom: original) != nil)
        try await one.removeAll(madeFrom: original)
        try await expectNil(other.entry(for: original))
        try await expectNil(other.metadata(for: original))
        try await expectNil(other.entry(for: file, madeFrom: original))
        try await expectNil(one.entry(for: file, madeFrom: original))
    }

    @Test func `what an origin has confirmed is known to all, unless they have other content by now`() async throws {
        _ = try await one.store(sampleEntry(1), for: original)
        await settle(one)
        let generation = sampleEntry(1).metadata.generation
        try await expectNil(other.renew(original, ifContentIs: ContentGeneration(rawValue: 9)) { $0.etag = "x" })
        try await expectEqual(other.renew(original, ifContentIs: generation) { $0.etag = "y" }?.isStored, true)
        await settle(other)
        let third = SharedCache(local: nil, stores: [store])
        try await expectEqual(third.metadata(for: original)?.etag, "y")
        try await expectEqual(third.metadata(for: original)?.generation, generation)
    }

    @Test func `a removed entry is gone for all, and a damaged one is a miss, and told`() async throws {
        // A removed entry is gone for all.
        _ = try await one.store(sampleEntry(50), for: file)
        try await one.remove(file)
        try await expectNil(other.entry(for: file))
        try await expectNil(one.entry(for: file))

        // A damaged entry is a miss, and told.
        _ = try await one.store(sampleEntry(50), for: file)
        await settle(one)
        store.change { state in
            for key in state.values.keys { state.values[key]?[60] ^= 1 }
        }
        try await expectNil(other.entry(for: file))
        expectEqual([other.counters.troubles, other.counters.hits], [1, 0])
    }

    @Test
    func `an entry and a word about a failure survive the way, and what is changed, cut or added is neither`() throws {
        // An entry with any byte changed, cut or added is none.
        let bytes = try required(sampleEntry(1).encoded(for: file))
        expectEqual(DiskEntry(encoded: bytes, for: file)?.bytes, sampleEntry(1).bytes)
        expectNil(DiskEntry(encoded: bytes, for: original), "the entry of another key")
        for place in bytes.indices {
            var changed = bytes
            changed[place] ^= 1 << UInt8(place % 8)
            expectNil(DiskEntry(encoded: changed, for: file), "byte \(place)")
            expectNil(DiskEntry(encoded: Array(bytes[..<place]), for: file))
        }
        expectNil(DiskEntry(encoded: bytes + [0], for: file))

        // A word about a failure survives the way, and nothing else is one.
        do {
            let url = try required(URL(string: "https://images.example/1.png"))
            let error = ImageLoadError(code: .unacceptableStatus, message: "gone", url: url, status: 410)
            let bytes = try required(SharedFailure(error)).encoded
            let heard = try required(SharedFailure(bytes)?.error(url))
            expectAll(heard.code == .unacceptableStatus, heard.status == 410, heard.message.hasSuffix("gone"))
            expectEqual(SharedFailure(SharedFailure.alone.encoded), .alone)
            expectNil(SharedFailure.alone.error(url))
            expectNil(SharedFailure(ImageLoadError(code: .overloaded, message: "")), "the state of one process")
            for count in bytes.indices { expectNil(SharedFailure(Array(bytes[..<count]))) }
            var generator = SeededGenerator(seed: 3)
            for _ in 0..<2_000 {
                var changed = bytes
                changed[.random(in: changed.indices, using: &generator)] = .random(in: 0...255, using: &generator)
                _ = SharedFailure(changed)?.error(url)
            }
        }
    }

    @Test func `trouble is told once for each kind, until the store answers again`() async throws {
        let told = Journal<SharedStoreError.Code>()
        var configuration = SharedCache.Configuration()
        configuration.onTrouble = { told.write($0.code) }
        let cache = SharedCache(local: nil, stores: [store], configuration: configuration)
        for isBroken in [true, false, true] {
            store.change { $0.isBroken = isBroken }
            for _ in 0..<3 { try await expectNil(cache.entry(for: file)) }
        }
        expectEqual(told.entries, [.unreachable, .unreachable])
        expectEqual(cache.counters.troubles, 6)
    }

    @Test func `what waits for a store, but for ends of leases, is limited, and the rest is counted`() async throws {
        // What waits for a store is limited, and the rest is dropped and counted.
        var configuration = SharedCache.Configuration()
        expectEqual(configuration.maximumPendingByteCount, 64_000_000)
        configuration.maximumPendingByteCount = 2_000  // for two of them
        let gate = Gate()
        let cache = SharedCache(local: nil, stores: [ScriptedStore(gate: gate)], configuration: configuration)
        for number in 0..<5 {
            let key = CacheKey(original, suffix: "\0encoded\(number)")
            _ = try await cache.store(sampleEntry(number, size: 300), for: key)
        }
        expectEqual(cache.counters.droppedWrites, 3)
        gate.open()
        await settle(cache)
        expectEqual(cache.counters.droppedWrites, 3)

        // Removals that wait for a store that hangs are limited, and the ends of leases are not.
        do {
            let gate = Gate()
            var configuration = SharedCache.Configuration()
            configuration.maximumPendingByteCount = 10_000
            let store = ScriptedStore(gate: gate)
            let lane = StoreLane(store, configuration, executor: nil)
            let key = SharedKey(original)
            for _ in 0..<20_000 { lane.submit(.remove([key], done: nil)) }
            expect((5_000..<10_000).contains(lane.pendingCount))
            try #require(lane.counters.droppedWrites > 10_000)
            lane.submit(.finish(SharedLease(key: key, token: 1), .released))
            let done = OneShot<Void>()
            lane.submit(.remove([key], done: done))
            await done.wait(onCancel: ())
            expectEqual(lane.counters.droppedWrites, 20_002 - lane.pendingCount)
            gate.open()
            await lane.drain()
            expectEqual(lane.pendingCount, 0)
        }

        // What is written no longer takes room of what may wait to be written.
        do {
            var configuration = SharedCache.Configuration()
            configuration.maximumPendingByteCount = 5_000
            let cache = SharedCache(local: nil, stores: [store], configuration: configuration)
            for number in 0..<10 {
                _ = try await cache.store(
                    sampleEntry(number, size: 2_000), for: CacheKey(original, suffix: "\0encoded\(number)"))
                try await flush(cache)
            }
            await settle(cache)
            expectEqual([cache.counters.droppedWrites, store.present.values.count], [0, 10])
        }
    }

    @Test func `an end writes what waits, and later calls fail no load`() async throws {
        _ = try await one.store(sampleEntry(50), for: file)
        let report = await one.shutdown(within: .seconds(60))
        expectEqual([report.abandonedOperations, store.present.values.count], [0, 1])
        try await expect(other.entry(for: file) != nil)
        try await expectEqual(one.store(sampleEntry(50), for: file).error?.code, .shutDown)
        expectEqual(one.counters.droppedWrites, 1)
    }

    @Test func `an end gives the leases back`() async throws {
        let url = try required(URL(string: "https://images.example/1.png"))
        var verdict = try await one.claim(original, for: url, hearsFailures: true)
        expectEqual(store.present.leases.count, 1)
        _ = await one.shutdown(within: .seconds(60))
        expectEmpty(store.present.leases)
        expectEqual(store.present.ends, [.released])
        expectAll(verdict != nil, store.present.isEnded, one.table.count == 0)
        verdict = nil
        expectEqual(one.counters.droppedWrites, 0, "a lease is given back once")
    }
}
