// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing

@testable import WebImage

/// How long an entry stays: since its last use or its store, and until its own end.
struct ExpiryTests {
    private let folder: TemporaryFolder
    private let time = TestTime()
    private let key = CacheKey("https://images.example/1.png")
    private static let day = Duration.seconds(86_400)

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    /// A cache as a new process would have it.
    private func makeCache(
        maximumAge: Duration = .seconds(604_800), expiry: DiskCache.Expiry = .sinceUse,
        system: FileSystem = FileSystem(), warnings: WarningLog = .init()
    ) -> DiskCache {
        let time = self.time
        return DiskCache(
            .init(
                folder: folder.path, maximumAge: maximumAge, expiry: expiry, onWarning: { warnings.append($0) },
                now: { time.now }),
            pool: WorkerPool(name: "disk", width: 2, maximumQueueLength: 100), system: system, executor: nil)
    }

    @Test
    func `the age counts from the last use, by any process, or from the store when that is chosen`() async throws {
        // An entry that is read every day stays, although the cache restarts every day.
        _ = try await makeCache().store(sampleEntry(), for: key)
        for day in 1...20 {
            time.advance(by: Self.day)
            let cache = makeCache()
            try await expect(cache.entry(for: key) != nil, "day \(day)")
            _ = await cache.shutdown(within: .seconds(60))
        }
        time.advance(by: Self.day * 7 + .seconds(60))
        try await expectNil(makeCache().entry(for: key))
        expectEmpty(folder.entryFiles)

        // The age counts from the store when that is chosen, however often the entry is read.
        let cache = makeCache(expiry: .sinceStore)
        _ = try await cache.store(sampleEntry(), for: key)
        for _ in 1...6 {
            time.advance(by: Self.day)
            try await expect(cache.entry(for: key) != nil)
        }
        time.advance(by: Self.day)
        try await expectNil(cache.entry(for: key))
        await expectEqual(cache.statistics.expirations, 1)

        // A use by another process counts.
        let (first, second) = (makeCache(), makeCache())
        _ = try await first.store(sampleEntry(), for: key)
        time.advance(by: Self.day * 6)
        try await expect(second.contains(key))
        time.advance(by: Self.day * 6)
        try await expect(first.contains(key))
    }

    @Test func `entries never get too old when the age is negative`() async throws {
        let cache = makeCache(maximumAge: .seconds(-1))
        _ = try await cache.store(sampleEntry(), for: key)
        time.advance(by: Self.day * 20_000)
        try await expectEqual(cache.removeExpired(), 0)
        try await expect(cache.entry(for: key) != nil)
        time.advance(by: Self.day * -19_000)
        try await expect(makeCache(maximumAge: .seconds(-1)).entry(for: key) != nil)
    }

    @Test(arguments: [Duration.seconds(604_800), .seconds(-1)])
    func `the end of an entry is obeyed, also after a restart, and ends no other`(maximumAge: Duration) async throws {
        for isRestarted in [false, true] {
            let first = makeCache(maximumAge: maximumAge)
            var entry = sampleEntry()
            entry.metadata.keptUntil = (time.now + .seconds(3_600)).wholeSeconds
            _ = try await first.store(entry, for: key)
            _ = try await first.store(sampleEntry(2), for: CacheKey("other"))
            time.advance(by: .seconds(3_500))
            let cache = isRestarted ? makeCache(maximumAge: maximumAge) : first
            try await expectEqual(cache.entry(for: key)?.metadata.keptUntil, entry.metadata.keptUntil)
            try await expectEqual(cache.removeExpired(), 0)
            time.advance(by: .seconds(100))
            if isRestarted {
                try await expectNil(makeCache(maximumAge: maximumAge).entry(for: key))
            }
            // Its own sweep may have been faster, so the number that this one removes says nothing.
            _ = try await cache.removeExpired()
            if !isRestarted {
                await expectEqual(cache.entryCount, 1, "the read before has told the index")
                await expectEqual(cache.statistics.expirations, 1)
            }
            try await expectNil(cache.entry(for: key))
            try await expect(cache.contains(CacheKey("other")))
        }
    }

    @Test(arguments: [false, true])
    func `an age of its own keeps an entry longer or shorter than others, also from the sweep of a new process`(
        isSwept: Bool
    ) async throws {
        let ages: [(CacheAge?, endsAfter: Int)] = [
            (nil, 7), (.absolute(Self.day * 2), 2), (.absolute(Self.day * 30), 30), (.sliding(Self.day * 10), 10),
            (.never, .max),
        ]
        for day in [1, 3, 8, 11, 31, 10_000] {
            let first = makeCache(expiry: .sinceStore)
            for (number, age) in ages.enumerated() {
                var entry = sampleEntry(number)
                entry.metadata.age = age.0
                _ = try await first.store(entry, for: CacheKey("\(number)"))
            }
            _ = await first.shutdown(within: .seconds(60))
            time.advance(by: Self.day * day)
            let cache = makeCache(expiry: .sinceStore)
            if isSwept {
                _ = try await cache.removeExpired()
                // What ends earlier than all others is known once it was read, and goes with its look-up.
                await expectEqual(cache.entryCount, ages.filter { day < 7 || day < $0.endsAfter }.count)
            }
            for (number, age) in ages.enumerated() {
                let entry = try await cache.entry(for: CacheKey("\(number)"))
                expectEqual(entry != nil, day < age.endsAfter, "day \(day), age \(String(describing: age.0))")
                if let entry { expectEqual(entry.metadata.age, age.0) }
            }
            try await cache.removeAll()
            _ = await cache.shutdown(within: .seconds(60))
        }
    }

    @Test func `a sliding age of its own is moved by each use, in any process, and none else is`() async throws {
        let other = CacheKey("other")
        let first = makeCache()
        for (key, age) in [(key, CacheAge.sliding(.seconds(3_600))), (other, .absolute(.seconds(3_600)))] {
            var entry = sampleEntry()
            entry.metadata.age = age
            _ = try await first.store(entry, for: key)
        }
        for step in 1...5 {
            time.advance(by: .seconds(3_000))
            let cache = makeCache()
            try await expect(cache.entry(for: key) != nil, "step \(step)")
            try await expectEqual(cache.entry(for: other) != nil, step == 1)
            // The first cache does not know of the use.
            _ = try await first.removeExpired()
            _ = await cache.shutdown(within: .seconds(60))
        }
        try await expect(first.renew(key) { $0.age = .never }?.isStored == true)
        time.advance(by: Self.day * 1_000)
        _ = try await first.removeExpired()
        try await expect(first.contains(key))
    }

    @Test func `what another process has stored anew stays in a sweep, which knows the earlier age alone`() async throws
    {
        let (first, second) = (makeCache(), makeCache())
        func store(_ number: Int, _ age: CacheAge?, in cache: DiskCache) async throws {
            var entry = sampleEntry(number)
            entry.metadata.age = age
            _ = try await cache.store(entry, for: CacheKey("\(number)"))
        }
        for (number, age) in [nil, CacheAge.absolute(Self.day), nil].enumerated() {
            try await store(number, age, in: first)
        }
        _ = await first.totalBytes
        time.advance(by: Self.day * 6)
        try await store(0, nil, in: second)
        try await store(1, .never, in: second)
        time.advance(by: Self.day * 2)
        try await expectEqual(first.removeExpired(), 1)
        for (number, isKept) in [true, true, false].enumerated() {
            try await expectEqual(second.contains(CacheKey("\(number)")), isKept)
        }
        // A short age that the cache knows itself is swept without a look-up.
        try await store(3, .absolute(.seconds(60)), in: first)
        time.advance(by: .seconds(60))
        try await expectEqual(first.removeExpired(), 1)
    }

    @Test func `the file of an entry is told with its owner and its dates, and that counts as no use`() async throws {
        let cache = makeCache()
        try await expectNil(cache.file(for: key))
        _ = try await cache.store(sampleEntry(), for: key)
        let stored = time.now.wholeSeconds
        time.advance(by: Self.day)
        for _ in 0..<2 {
            let file = try required(try await cache.file(for: key))
            expectEqual(file.byteCount, try folder.read(file.path).count)
            expectAll(file.storedAt == stored, file.usedAt == stored, file.ownerID == geteuid())
            expectEqual(file.metadata.etag, sampleEntry().metadata.etag)
            if let created = file.createdAt { expect(created > 1_600_000_000) }
        }
        _ = try await cache.entry(for: key)
        try await expectEqual(cache.file(for: key)?.usedAt, time.now.wholeSeconds)
    }

    @Test
    func `the end of an entry keeps nothing beyond the maximum age, is moved by a renewal, and is kept by a listing`()
        async throws
    {
        // An end after the maximum age keeps nothing longer, and a renewal moves it.
        let cache = makeCache()
        var entry = sampleEntry()
        entry.metadata.keptUntil = (time.now + Self.day * 100).wholeSeconds
        _ = try await cache.store(entry, for: key)
        time.advance(by: Self.day * 7 + .seconds(60))
        try await expectNil(cache.entry(for: key))
        _ = try await cache.store(entry, for: key)
        let end = (time.now + .seconds(100)).wholeSeconds
        try await expectEqual(cache.renew(key) { $0.keptUntil = end }?.isStored, true)
        time.advance(by: .seconds(100))
        try await expectEqual(cache.removeExpired(), 1)
        await expectEqual(cache.entryCount, 0)
        await expectEqual(cache.statistics.expirations, 2)

        // A listing keeps the end of an entry that was stored by another clock than the disk's.
        do {
            let cache = makeCache()
            time.advance(by: .seconds(30))
            var entry = sampleEntry()
            entry.metadata.keptUntil = (time.now + .seconds(100)).wholeSeconds
            _ = try await cache.store(entry, for: key)
            await cache.waitForIndex()
            await expect(cache.listFolder())
            time.advance(by: .seconds(100))
            try await expectEqual(cache.removeExpired(), 1)
        }
    }

    @Test func `a use in the future says nothing, and is corrected`() async throws {
        let cache = makeCache()
        let digest = KeyDigest(of: key)
        _ = try await cache.store(sampleEntry(), for: key)
        let future = (time.now + Self.day * 1_000).wholeSeconds
        try cache.files.inFolder(digest.folder) { folder throws(SystemFailure) in
            try FileSystem().setAccess(digest.fileName, in: folder, to: future)
        }
        time.advance(by: Self.day * 6)
        try await expect(makeCache().contains(key))
        try expectEqual(cache.files.look(at: digest)?.usedAt, time.now.wholeSeconds)
        time.advance(by: Self.day * 7 + .seconds(60))
        try await expectNil(makeCache().entry(for: key))
    }

    @Test func `a use is noted once in a while, and a failure to note it is no trouble`() async throws {
        let (plan, warnings) = (FaultPlan(), WarningLog())
        let cache = makeCache(system: plan.system, warnings: warnings)
        _ = try await cache.store(sampleEntry(), for: key)
        for _ in 0..<5 { _ = try await cache.entry(for: key) }
        expect(!plan.calls.contains(.touch), "the store is a use")
        time.advance(by: Self.day)
        for _ in 0..<5 { _ = try await cache.entry(for: key) }
        expectEqual(plan.calls.count { $0 == .touch }, 1)
        plan.set { _, call in call == .touch ? .failure(EROFS) : nil }
        time.advance(by: Self.day)
        try await expectEqual(cache.entry(for: key), sampleEntry().storedAt(time.now - Self.day * 2))
        expectEmpty(warnings.codes)
        await expectEqual(cache.statistics.misses, 0)
    }
}

extension DiskEntry {
    fileprivate func storedAt(_ time: Duration) -> DiskEntry {
        var entry = self
        entry.metadata.storedAt = time.wholeSeconds
        return entry
    }
}
