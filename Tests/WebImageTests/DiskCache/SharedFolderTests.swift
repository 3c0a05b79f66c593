// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Several caches on one folder: a lock belongs to an open file, so two caches of one process are as separate as two
/// processes.
struct SharedFolderTests {
    private let folder: TemporaryFolder
    private let time = TestTime()
    private let maximumByteCount = 5_000_000

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func makeCache(warnings: WarningLog = .init()) -> DiskCache {
        let time = self.time
        return DiskCache(
            .init(
                folder: folder.path, maximumByteCount: maximumByteCount, onWarning: { warnings.append($0) },
                now: { time.now }))
    }

    private func fill(_ cache: DiskCache, name: String, count: Int, size: Int = 20_000) async throws {
        let entry = sampleEntry(size: size)
        for number in 0..<count {
            try await expect(cache.store(entry, for: CacheKey("\(name) \(number)")).isStored)
        }
    }

    @Test
    func `processes too short-lived for the maintenance task keep the limit, and the next one trims a folder above it`()
        async throws
    {
        // Processes too short-lived for the maintenance task keep the limit.
        for number in 0..<20 {
            let cache = makeCache()
            try await fill(cache, name: "\(number)", count: 25)
            _ = await cache.shutdown(within: .seconds(60))
        }
        expect(folder.entryBytes, <=, maximumByteCount)

        // The next process on a folder above the limit trims it.
        let time = self.time
        let large = DiskCache(.init(folder: folder.path, maximumByteCount: 4 * maximumByteCount, now: { time.now }))
        try await fill(large, name: "large", count: 500)
        _ = await large.shutdown(within: .seconds(60))
        expect(folder.entryBytes, >, 2 * maximumByteCount)
        let brief = makeCache()
        _ = try await brief.contains(CacheKey("none"))
        _ = await brief.shutdown(within: .zero)
        let next = makeCache()
        _ = try await next.contains(CacheKey("none"))
        await next.maintenance?.value
        expect(folder.entryBytes, <=, maximumByteCount)
    }

    @Test func `two caches end within their limit, whatever the order of their steps`() throws {
        for seed in 0..<UInt64(50) {
            var stage = try SeededStage(seed: seed, maximumByteCount: 200_000)
            let caches = [stage.cache, stage.makeNeighbour(maximumByteCount: 200_000)]
            let entry = sampleEntry(size: 4_000)
            let stores = (0..<4).map { writer in
                Probe(on: stage.executor) {
                    for number in 0..<20 {
                        let key = CacheKey("\(writer) \(number)")
                        let outcome = try await caches[writer % 2].store(entry, for: key)
                        expect(outcome.isStored)
                    }
                }
            }
            stage.run()
            expect(stores.allSatisfy { $0.value != nil }, "seed \(seed)")
            expect(stage.folder.entryBytes, <=, 200_000, "seed \(seed)")
            expect(stage.folder.entryBytes, >=, 100_000, "seed \(seed)")
            for cache in caches { expectEqual(stage.leftovers(of: cache), [], "seed \(seed)") }
        }
    }

    @Test
    func `a cache that is alone never lists its folder again, and a listing forgets what others have removed`() throws {
        // A cache that is alone never lists its folder again.
        let faults = FaultPlan()
        var stage = try SeededStage(seed: 1, system: faults.system)
        let entry = sampleEntry(size: 1_000)
        _ = stage.outcome { await $0.totalBytes }
        let lists = faults.calls.count { $0 == .list }
        for number in 0..<200 {
            expectEqual(stage.outcome { try await $0.store(entry, for: CacheKey("\(number)")).isStored }.value, true)
        }
        expectEqual(faults.calls.count { $0 == .list }, lists)
        expect(stage.folder.entryBytes, <=, 40_000)
        let account = try FileManager.default.attributesOfItem(atPath: stage.folder.path + "/account")
        expect(account[.size] as? Int ?? 0 > 200, "it has told the others all the same")

        // A folder that others have removed is forgotten when the cache lists it.
        do {
            var stage = try SeededStage(seed: 1)
            let key = CacheKey("1")
            expectEqual(stage.outcome { try await $0.store(sampleEntry(size: 1_000), for: key).isStored }.value, true)
            expectEqual(stage.outcome { await $0.index.count }.value, 1)
            let file = URL(filePath: stage.cache.files.path(of: KeyDigest(of: key)))
            try FileManager.default.removeItem(at: file.deletingLastPathComponent())
            _ = stage.outcome { await $0.listFolder() }
            expectEqual(stage.outcome { await $0.index.count }.value, 0)
        }
    }

    @Test
    func `a new account begins when the old one is long, or when anything but a full folder is in its place`() throws {
        // A new account begins when the old one is long.
        var stage = try SeededStage(seed: 1)
        let account = stage.folder.path + "/account"
        let entry = sampleEntry(size: 1_000)
        let store: @concurrent @Sendable (DiskCache) async throws -> Void = { cache in
            for number in 0..<60 { _ = try await cache.store(entry, for: CacheKey("\(number)")) }
        }
        _ = stage.outcome(of: store)
        try #require(unsafe truncate(account, off_t(1 << 45)) == 0)
        for _ in 0..<3 { _ = stage.outcome(of: store) }
        let size = try FileManager.default.attributesOfItem(atPath: account)[.size] as? Int
        try expect(required(size), <, 4_096)
        expect(stage.folder.entryBytes, <=, 40_000)
        expectEqual(stage.leftovers(), [])

        // Anything in the place of the account is removed, except a full folder.
        do {
            var stage = try SeededStage(seed: 1)
            let (account, outside) = (stage.folder.path + "/account", stage.folder.path + "/outside")
            try stage.folder.write([1, 2, 3], to: outside)
            let obstacles: [() throws -> Void] = [
                { try FileManager.default.createSymbolicLink(atPath: account, withDestinationPath: outside) },
                { try FileManager.default.createDirectory(atPath: account, withIntermediateDirectories: false) },
                { expectEqual(unsafe mkfifo(account, 0o600), 0) },
            ]
            for (number, obstruct) in obstacles.enumerated() {
                try? FileManager.default.removeItem(atPath: account)
                try obstruct()
                for other in 0..<2 {
                    let key = CacheKey("\(number) \(other)")
                    expectEqual(
                        stage.outcome { try await $0.store(sampleEntry(size: 2_000), for: key).isStored }.value, true)
                }
                let type = try FileManager.default.attributesOfItem(atPath: account)[.type]
                expect(type as? FileAttributeType == .typeRegular)
            }
            try expectEqual(stage.folder.read(outside), [1, 2, 3])
        }
    }

    /// Another process that holds the lock of a file until it is ended.
    private func lockElsewhere(_ path: String) throws -> (Process, Pipe) {
        let (process, input, output) = (Process(), Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["-n", path, "sh", "-c", "echo held; cat >/dev/null"]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        expectEqual(output.fileHandleForReading.readData(ofLength: 5), Data("held\n".utf8))
        return (process, input)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func `a cache leaves the trim to the process that has the right to trim, and never waits`() async throws {
        let warnings = WarningLog()
        let cache = makeCache(warnings: warnings)
        try await fill(cache, name: "first", count: 10)
        let (process, input) = try lockElsewhere(folder.path + "/account")
        try await fill(cache, name: "second", count: 250)
        await cache.maintenance?.value
        expect(folder.entryBytes, >, maximumByteCount * 95 / 100)
        expect(folder.entryBytes, <=, maximumByteCount)
        expectEqual(folder.accountDescriptors.count, 1, "each look for the right is closed")
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        try await fill(cache, name: "third", count: 1)
        await cache.maintenance?.value
        expect(folder.entryBytes, <=, maximumByteCount * 95 / 100)
        expectEmpty(warnings.codes)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/flock")))
    func `an unfinished file of another process stays as long as the process has it open`() throws {
        let files = EntryFiles(folder: folder.path, isSynced: false)
        try FileManager.default.createDirectory(atPath: files.temporaryFolder, withIntermediateDirectories: true)
        try folder.write([1], to: files.temporaryFolder + "/deadbeef-1")
        let (process, input) = try lockElsewhere(files.temporaryFolder + "/deadbeef-1")
        expectEqual(files.removeAbandonedFiles(now: .max), 0)
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        expectEqual(files.removeAbandonedFiles(now: .max), 1)
    }
}
