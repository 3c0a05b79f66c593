// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import SDWebImageCache
@testable import WebImage

/// The sweep by the clock, what is left in the hidden folder, and the trouble of a folder.
extension SDWebImageCacheTests {
    private var hidden: String { folder.path + "/.swift-web-image" }

    private var notes: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: hidden).sorted() }
    }

    @Test func `the folder is swept by the clock from the first store on, until the shutdown`() throws {
        let (clock, executor, time) = (ManualClock(), SeededExecutor(seed: 1), time)
        let cache = SDWebImageCache(
            .init(folder: folder.path, sweepInterval: .seconds(60), now: { time.now }, clock: clock),
            pool: WorkerPool(name: "flat", width: 1, maximumQueueLength: 100, executor: executor),
            system: FileSystem(), executor: executor)
        func run<Value: Sendable>(
            _ body: @escaping @concurrent @Sendable (SDWebImageCache) async throws -> Value
        ) -> Value? {
            let probe = Probe(on: executor) { try await body(cache) }
            executor.drain()
            return probe.value
        }
        expectEqual(clock.sleepers, 0)
        for _ in 0..<2 {
            expectEqual(run { [key] in try await $0.store(sampleEntry(), for: key).isStored }, true)
            expectEqual(clock.sleepers, 1)
            time.advance(by: .seconds(604_801))
            clock.advance(by: .seconds(59))
            executor.drain()
            expect(FileManager.default.fileExists(atPath: path(key)))
            clock.advance(by: .seconds(1))
            executor.drain()
            expect(!FileManager.default.fileExists(atPath: path(key)))
            expectEqual(clock.sleepers, 1)
        }
        expectEqual(run { await $0.shutdown(within: .seconds(5)) }?.abandonedOperations, 0)
        expectEqual(clock.sleepers, 0)
    }

    @Test func `a removal leaves no note, and what ended writers have left goes when it is an hour old`() async throws {
        let cache = makeCache()
        let removals: [(SDWebImageCache) async throws -> Void] = [
            { try await $0.remove(key) }, { try await $0.removeAll() },
            { [time] in
                time.advance(by: .seconds(604_801))
                _ = try await $0.removeExpired()
            },
        ]
        for remove in removals {
            _ = try await cache.store(sampleEntry(), for: key)
            try expectEqual(notes, [SDWebImageName(key).digest])
            try await remove(cache)
            try expectEqual(notes, [])
        }
        time.advance(by: .seconds(-604_801))
        _ = try await cache.store(sampleEntry(), for: key)
        let gone = SDWebImageName(CacheKey("gone")).digest
        let ages: [(String, Int64)] = [
            ("tmp-1", 3_601), ("tmp-2", 3_599), ("tmp-3", -3_601), (gone, 3_601), (SDWebImageName(key).digest, 3_601),
        ]
        for (name, age) in ages {
            if !name.hasPrefix(SDWebImageName(key).digest) { try folder.write([1], to: hidden + "/" + name) }
            let date = Date(timeIntervalSince1970: Double(time.now.wholeSeconds - age))
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: hidden + "/" + name)
        }
        try await expectEqual(cache.removeExpired(), 0)
        try expectEqual(notes, [SDWebImageName(key).digest, "tmp-2"].sorted())
    }

    @Test func `a renewal is of one content, and moves the end of an age of its own`() async throws {
        let cache = makeCache()
        var entry = sampleEntry()
        entry.metadata.age = .absolute(.seconds(60))
        _ = try await cache.store(entry, for: key)
        time.advance(by: .seconds(59))
        try await expectNil(cache.renew(key, ifContentIs: ContentGeneration(rawValue: 1)) { $0.etag = "x" })
        let content = ContentGeneration(of: entry.bytes)
        try await expectEqual(cache.renew(key, ifContentIs: content) { $0.etag = "y" }?.isStored, true)
        time.advance(by: .seconds(59))
        try await expectEqual(cache.entry(for: key)?.metadata.etag, "y")
        time.advance(by: .seconds(1))
        try await expectNil(cache.entry(for: key))
        // The file of an older version of SDWebImage has no extension.
        let old = CacheKey("https://images.example/old.png")
        try folder.write([4], to: folder.path + "/" + SDWebImageName(old).digest)
        try await expectEqual(cache.renew(old, ifContentIs: nil) { $0.extendedData = [5] }?.isStored, true)
        try await expectEqual(cache.entry(for: old)?.metadata.extendedData, [5])
        let descriptor = try FileSystem().openFolder(folder.path, mayBeLink: true)
        defer { try? FileSystem().close(descriptor) }
        let file = try FileSystem().openForReading(SDWebImageName(old).digest, in: descriptor)
        defer { try? FileSystem().close(file) }
        let kept = FileSystem().attribute(FlatFiles.attributeName, of: file)
        let hasAttributes = (try? FileSystem().setAttribute("user.other", of: file, to: [1])) != nil
        expectEqual(kept, hasAttributes ? [5] : nil, "where SDWebImage looks")
    }

    @Test func `trouble is told once, until the folder works again, and a read-only folder makes none`() async throws {
        let (plan, warnings) = (FaultPlan(), WarningLog())
        let file = folder.path + "/file"
        try folder.write([1], to: file)
        let cache = makeCache(readOnlyFolders: [file], warnings: warnings, system: plan.system)
        try await expectNil(cache.entry(for: key))
        expectEmpty(warnings.codes)
        for round in 1...2 {
            plan.set { _, call in call == .open ? .failure(EMFILE) : nil }
            for _ in 0..<2 { try await expectNil(cache.entry(for: key)) }
            expectEqual(warnings.codes.count, round)
            plan.clear()
            try await expectNil(cache.entry(for: key))
        }
    }
}
