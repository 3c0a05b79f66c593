// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import SharedStores
@testable import WebImage

/// The end of a cache whose shared store does not answer.
@Suite(.timeLimit(.minutes(1))) struct StoreEndTests {
    /// A store whose calls last until they are cancelled, or for ever.
    private final class HangingStore: SharedStore {
        struct Count {
            var begun = 0
            var running = 0
        }

        private let count = Mutex(Count())
        private let gate = Gate()
        private let heedsCancellation: Bool
        let traits = SharedStoreTraits(
            name: "hanging", maximumOriginalByteCount: 1 << 20, maximumFileByteCount: 1 << 20,
            readTimeout: .seconds(3_600), writeTimeout: .seconds(3_600), writeWidth: 4)

        init(heedsCancellation: Bool) { self.heedsCancellation = heedsCancellation }

        var present: Count { count.withLock { $0 } }

        private func hang() async throws {
            count.withLock {
                $0.begun += 1
                $0.running += 1
            }
            if heedsCancellation {
                let place = OneShot<Void>()
                await place.wait(onCancel: ())
                // Cancelled work takes a while to notice.
                for _ in 0..<100 { await Task.yield() }
            } else {
                await gate.pass()
            }
            count.withLock { $0.running -= 1 }
            try Task.checkCancellation()
        }

        func open() { gate.open() }

        func bytes(for key: SharedKey) async throws -> [UInt8]? {
            try await hang()
            return nil
        }

        func store(_ bytes: [UInt8], for key: SharedKey, lifetime: Duration) async throws { try await hang() }
        func remove(_ key: SharedKey) async throws { try await hang() }
        func shutdown() async {}
    }

    private let original = CacheKey("https://images.example/1.png")

    private func file(_ number: Int) -> CacheKey { CacheKey(original, suffix: "\0encoded\(number)") }

    @Test(arguments: [Duration.zero, .milliseconds(5)]) func `no call of a store outlives the end of its cache`(
        limit: Duration
    ) async throws {
        let store = HangingStore(heedsCancellation: true)
        let told = Journal<SharedStoreError.Code>()
        var configuration = SharedCache.Configuration()
        configuration.onTrouble = { told.write($0.code) }
        let cache = SharedCache(local: nil, stores: [store], configuration: configuration)
        for number in 0..<10 { _ = try await cache.store(sampleEntry(number), for: file(number)) }
        let file = file(1)
        let removal = Probe { try await cache.remove(file) }
        let read = Probe { try await cache.entry(for: file) }
        while store.present.running < 5 || cache.lanes[0].pendingCount < 11 { await Task.yield() }
        let report = await cache.shutdown(within: limit)
        let present = store.present
        expectEqual(present.running, 0)
        expectEqual(present.begun, 5, "four writes at a time, and the read")
        expect(report.abandonedOperations, >=, 10)
        expectEqual(cache.counters.droppedWrites, 11)
        expectEqual(told.entries, [])
        try await expectNil(read.finish())
        try await removal.finish()
        try await expectNil(cache.entry(for: file))
        expectEqual(store.present.begun, 5, "nothing begins after the end")
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `a change that comes while the end waits is dropped, and is no trouble of the store`(seed: UInt64) {
        let (executor, store) = (SeededExecutor(seed: seed), HangingStore(heedsCancellation: true))
        let told = Journal<SharedStoreError.Code>()
        var configuration = SharedCache.Configuration()
        configuration.onTrouble = { told.write($0.code) }
        configuration.clock = ManualClock()
        let cache = SharedCache(local: nil, stores: [store], configuration: configuration, executor: executor)
        func run(_ body: @escaping @concurrent @Sendable () async throws -> Void) -> Probe<Void> {
            let probe = Probe(on: executor, body)
            executor.drain()
            return probe
        }
        let files = (1...2).map { file($0) }
        expect(run { _ = try await cache.store(sampleEntry(1), for: files[0]) }.value != nil)
        let end = run { await cache.lanes[0].drain() }
        expectAll(end.isRunning, store.present.running == 1)
        let late = run {
            _ = try await cache.store(sampleEntry(2), for: files[1])
            try await cache.remove(files[1])
        }
        expectAll(late.value != nil, cache.counters.droppedWrites == 2)
        expectEqual(cache.counters.troubles, 0)
        expectEqual(told.entries, [])
        cache.lanes[0].abandon()
        executor.drain()
        expectAll(end.value != nil, store.present.running == 0, told.entries == [])
    }

    @Test
    func
        `the caches of a manager end with their writes, and a call that heeds no cancellation is left behind`()
        async throws
    {
        // The caches of a manager end with their writes.
        let store = HangingStore(heedsCancellation: true)
        let caches = ImageCaches(watch: nil, disk: SharedCache(local: nil, stores: [store]))
        let writes = try required(caches.writes)
        let entry = sampleEntry(1)
        for number in 0..<3 { _ = await writes.submitIfRoom(for: file(number), byteCount: 1) { entry } }
        while store.present.running < 3 { await Task.yield() }
        await expectEqual(caches.shutdown(within: .zero)?.abandonedOperations, 3)
        expectEqual(store.present.running, 0)
        await expectEmpty(writes.writers)

        // A call that does not heed its cancellation is left behind, and counted.
        do {
            let store = HangingStore(heedsCancellation: false)
            let cache = SharedCache(local: nil, stores: [store])
            for number in 0..<2 { _ = try await cache.store(sampleEntry(number), for: file(number)) }
            while store.present.running < 2 { await Task.yield() }
            await expectEqual(cache.shutdown(within: .zero).abandonedOperations, 2)
            expectEqual(store.present.running, 2)
            store.open()
        }
    }
}
