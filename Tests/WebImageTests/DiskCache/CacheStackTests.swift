// SPDX-License-Identifier: MIT
import HTTPTransport
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import SharedStores
@testable import WebImage

/// Several stores used as one.
struct CacheStackTests {
    private let key = CacheKey("https://images.example/1.png")
    private let folder: TemporaryFolder
    private let stores: [DiskCache]

    init() throws {
        let folder = try TemporaryFolder(isInMemory: true)
        self.folder = folder
        stores = (0..<3).map { DiskCache(.init(folder: folder.path + "/\($0)")) }
    }

    private func stack(_ change: (inout CacheStack.Policies) -> Void = { _ in }) -> CacheStack {
        var policies = CacheStack.Policies()
        change(&policies)
        return CacheStack(stores, policies: policies)
    }

    /// The stores that have the entry, by number.
    private func holders(_ key: CacheKey) async throws -> [Int] {
        var numbers: [Int] = []
        for (number, store) in stores.enumerated() where try await store.contains(key) { numbers.append(number) }
        return numbers
    }

    @Test func `a look-up asks in order, or all at once, or one alone`() async throws {
        for number in 1..<3 { _ = try await stores[number].store(sampleEntry(number), for: key) }
        try await expectEqual(stack().entry(for: key)?.bytes, sampleEntry(1).bytes)
        try await expectEqual(stack { $0.look = .lastOnly }.entry(for: key)?.bytes, sampleEntry(2).bytes)
        try await expectNil(stack { $0.look = .firstOnly }.entry(for: key))
        let found = try await stack { $0.look = .atOnce }.entry(for: key)?.bytes
        expect(found == sampleEntry(1).bytes || found == sampleEntry(2).bytes)
        for policy in CacheStack.Policy.allCases {
            let stack = stack { $0.look = policy }
            try await expectEqual(stack.contains(key), (policy != .firstOnly))
            try await expectEqual((stack.metadata(for: key) != nil), (policy != .firstOnly))
            try await expectNil(stack.entry(for: CacheKey("none")))
            try await expect(!stack.contains(CacheKey("none")))
        }
    }

    @Test func `a store and a removal go to the stores that the policy chooses`() async throws {
        let expected: [(CacheStack.Policy, [Int])] = [
            (.inOrder, [0, 1, 2]), (.atOnce, [0, 1, 2]), (.firstOnly, [0]), (.lastOnly, [2]),
        ]
        for (policy, numbers) in expected {
            for store in stores { try await store.removeAll() }
            try await expect(stack { $0.store = policy }.store(sampleEntry(), for: key).isStored)
            try await expectEqual(holders(key), numbers)
            try await stack().remove(key)
            try await expectEqual(holders(key), [])
            for store in stores { _ = try await store.store(sampleEntry(), for: key) }
            try await stack { $0.remove = policy }.remove(key)
            try await expectEqual(holders(key), [0, 1, 2].filter { !numbers.contains($0) })
            for store in stores { _ = try await store.store(sampleEntry(), for: key) }
            try await stack { $0.clear = policy }.removeAll()
            try await expectEqual(holders(key), [0, 1, 2].filter { !numbers.contains($0) })
        }
    }

    @Test
    func `changes and new entries reach every store, and those of later ones the first when that is chosen`()
        async throws
    {
        // An entry of a later store is copied to the first when that is chosen.
        _ = try await stores[2].store(sampleEntry(), for: key)
        _ = try await stack().entry(for: key)
        try await expectEqual(holders(key), [2])
        try await expect(stack { $0.copiesToFirst = true }.entry(for: key) != nil)
        try await expectEqual(holders(key), [0, 2])

        for store in stores { try await store.removeAll() }
        // A change reaches every store that has the entry.
        for number in 1..<3 { _ = try await stores[number].store(sampleEntry(), for: key) }
        try await expectEqual(stack().renew(key) { $0.etag = "new" }?.isStored, true)
        for number in 1..<3 { try await expectEqual(stores[number].metadata(for: key)?.etag, "new") }
        try await expectNil(stack().renew(CacheKey("none")) { $0.etag = "new" })

        for store in stores { try await store.removeAll() }
        // A stack keeps new entries in all its stores.
        try await expect(CacheStack([Shelf(), stores[1]]).store(sampleEntry(), for: key).isStored)
        try await expectEqual(holders(key), [1])
    }

    @Test func `one store that refuses does not make the store fail, all of them do`() async throws {
        _ = await stores[0].shutdown(within: .seconds(60))
        try await expect(stack().store(sampleEntry(), for: key).isStored)
        let reversed = CacheStack(stores.reversed())
        try await expect(reversed.store(sampleEntry(), for: key).isStored)
        try await expectEqual(stack { $0.store = .firstOnly }.store(sampleEntry(), for: key).error?.code, .shutDown)
        try await expectEqual(CacheStack([]).store(sampleEntry(), for: key).error?.code, .folderUnavailable)
        try await expectNil(CacheStack([]).entry(for: key))
        let report = await stack().shutdown(within: .seconds(60))
        expectEqual(report.abandonedOperations, 0)
        for store in stores { try await expectNil(store.entry(for: key)) }
    }

    @Test func `a manager finds what a store can do behind the stores before it`() async throws {
        let shared = SharedCache(local: stores[1], stores: [ScriptedStore()])
        let split = SplitCache(originals: stores[0], others: stores[1])
        for (store, disk, hasLeases) in [
            (stores[0] as any CacheStoring, stores[0] as DiskCache?, false), (shared, stores[1], true),
            (CacheStack([Shelf(), shared]), stores[1], true), (CacheStack([stores[2], shared]), stores[2], true),
            (CacheStack([CacheStack([shared])]), stores[1], true), (split, stores[0], false),
            (SplitCache(originals: shared, others: stores[2]), stores[1], true), (Shelf(), nil, false),
            (SplitCache(originals: Shelf(), others: shared), stores[1], true),
        ] {
            let caches = ImageCaches(watch: nil, disk: store)
            #expect((caches.sharing as? SharedCache) === (hasLeases ? shared : nil))
            let manager = ImageManager(caches: caches, transport: HTTPClient())
            expect(manager.diskCache === disk)
            _ = await manager.shutdown(within: .seconds(10))
        }
        // What new entries do not reach is not found.
        var policies = CacheStack.Policies()
        policies.store = .firstOnly
        let behind = CacheStack([Shelf(), shared], policies: policies)
        expectNil(ImageCaches(watch: nil, disk: behind).disk?.first(SharedCache.self))
        _ = await shared.shutdown(within: .seconds(10))
    }

    /// A store of a program's own.
    private struct Shelf: CacheStoring {
        var answer: @concurrent @Sendable () async throws -> DiskEntry? = { nil }
        var outcome: @concurrent @Sendable () async -> StoreOutcome = { .stored }
        var renewal: StoreOutcome?
        var operations = 0

        func entry(for key: CacheKey) async throws -> DiskEntry? { try await answer() }
        func store(_ entry: DiskEntry, for key: CacheKey) async -> StoreOutcome { await outcome() }
        func renew(
            _ key: CacheKey, ifContentIs generation: ContentGeneration?,
            _ change: @escaping @Sendable (inout EntryMetadata) -> Void
        ) -> StoreOutcome? { renewal }
        func remove(_ key: CacheKey) {}
        func removeAll() {}
        func shutdown(within limit: Duration) -> CacheShutdownReport {
            CacheShutdownReport(completedOperations: operations + 1, abandonedOperations: operations)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `of look-ups made at once the first answer counts, and the others are cancelled`() async throws {
        let cancelled = Journal<Void>()
        let lasting = Shelf(answer: {
            let place = OneShot<Void>()
            await place.wait(onCancel: ())
            cancelled.write(())
            return nil
        })
        var policies = CacheStack.Policies()
        policies.look = .atOnce
        let stack = CacheStack([Shelf(), lasting, Shelf(answer: { sampleEntry(1) }), lasting], policies: policies)
        try await expectEqual(stack.entry(for: key)?.bytes, sampleEntry(1).bytes)
        expectEqual(cancelled.count, 2)
    }

    @Test func `what the first store has is not stored in it anew`() async throws {
        let stored = Journal<Void>()
        let first = Shelf(
            answer: { sampleEntry(1) },
            outcome: {
                stored.write(())
                return .stored
            })
        for policy in [CacheStack.Policy.inOrder, .atOnce, .firstOnly] {
            var policies = CacheStack.Policies()
            (policies.look, policies.copiesToFirst) = (policy, true)
            try await expect(CacheStack([first, Shelf()], policies: policies).entry(for: key) != nil)
        }
        expectEqual(stored.count, 0)
    }

    @Test func `a stack tells of the last store that refuses, of any that changes, and of all that end`() async throws {
        let gate = Gate()
        let full = CacheError(code: .diskFull, message: "")
        let stores = [
            Shelf(
                outcome: {
                    await gate.pass()
                    return .notStored(CacheError(code: .tooLarge, message: ""))
                }, renewal: .stored, operations: 2),
            Shelf(
                outcome: {
                    gate.open()
                    return .notStored(full)
                }, renewal: .notStored(full), operations: 3),
        ]
        var policies = CacheStack.Policies()
        policies.store = .atOnce
        let stack = CacheStack(stores, policies: policies)
        try await expectEqual(stack.store(sampleEntry(), for: key).error?.code, .diskFull)
        try await expectEqual(stack.renew(key) { _ in }?.isStored, true)
        let report = await stack.shutdown(within: .zero)
        expectEqual(report, .init(completedOperations: 7, abandonedOperations: 5))
    }

    @Test func `a removed original takes what was made of it from every store, and a change reaches all`() async throws
    {
        let variant = CacheKey(key, suffix: "\0variant")
        for store in stores {
            for key in [key, variant] { _ = try await store.store(sampleEntry(), for: key) }
        }
        let first = stack {
            $0.store = .firstOnly
            $0.clear = .firstOnly
        }
        try await expectEqual(first.renew(key) { $0.etag = "new" }?.isStored, true)
        for store in stores { try await expectEqual(store.metadata(for: key)?.etag, "new") }
        try await stack { $0.remove = .lastOnly }.removeAll(madeFrom: key)
        try await expectEqual(holders(variant), [0, 1])
        try await first.removeAll(madeFrom: key)
        try await expectEqual(holders(variant), [])
    }

    @Test func `a split cache does everything to the store that keeps such keys, and empties both`() async throws {
        let split = SplitCache(originals: stores[0], others: stores[1])
        let variant = CacheKey(key, suffix: "\0variant")
        for (number, key) in [key, variant].enumerated() {
            _ = try await split.store(sampleEntry(1), for: key)
            _ = try await stores[1 - number].store(sampleEntry(2), for: key)
            try await expectEqual(split.metadata(for: key)?.etag, "\"1\"")
            try await expectEqual(split.renew(key) { $0.etag = "new" }?.isStored, true)
            try await expectEqual(stores[number].metadata(for: key)?.etag, "new")
            try await split.remove(key)
            try await expect(!split.contains(key))
            try await expectEqual(holders(key), [1 - number])
            _ = try await split.store(sampleEntry(1), for: key)
        }
        try await split.removeAll()
        for key in [key, variant] { try await expectEqual(holders(key), []) }
    }

    @Test func `originals and what is made of them are kept apart, and go together`() async throws {
        let split = SplitCache(originals: stores[0], others: stores[1])
        let variant = CacheKey(key, suffix: "\0variant")
        var made = sampleEntry(50)
        made.metadata.madeFrom = sampleEntry(1).metadata.generation
        _ = try await split.store(sampleEntry(1), for: key)
        _ = try await split.store(made, for: variant)
        try await expectEqual(holders(key), [0])
        try await expectEqual(holders(variant), [1])
        try await expectEqual(split.entry(for: variant, madeFrom: key)?.bytes, sampleEntry(50).bytes)
        _ = try await split.store(sampleEntry(2), for: key)
        try await expectNil(split.entry(for: variant, madeFrom: key))
        try await expectEqual(holders(variant), [])
        _ = try await split.store(made, for: variant)
        try await split.removeAll(madeFrom: key)
        try await expectEqual(holders(key), [])
        try await expectEqual(holders(variant), [])
        await expectEqual(split.shutdown(within: .seconds(60)).abandonedOperations, 0)
    }
}
