// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import WebImage

/// Entries stored under a wrong clock, and files with false dates.
struct CacheClockTests {
    private let folder: TemporaryFolder
    private let time = TestTime()
    private let key = CacheKey("https://images.example/1.png")

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func makeCache(maximumByteCount: Int = 1 << 20) -> DiskCache {
        let time = self.time
        return DiskCache(.init(folder: folder.path, maximumByteCount: maximumByteCount, now: { time.now }))
    }

    /// Dates every entry's file.
    private func date(_ names: some Sequence<String>, at time: Duration) throws {
        let date = Date(timeIntervalSince1970: Double(time.components.seconds))
        for name in names {
            try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.path + "/" + name)
        }
    }

    @Test(arguments: [(60, true), (61, false), (86_400, false), (2_000_000_000, false)])
    func `an entry from the future is a miss beyond a minute, and is removed`(ahead: Int, isKept: Bool) async throws {
        let cache = makeCache()
        time.advance(by: .seconds(ahead))
        try await expect(cache.store(sampleEntry(), for: key).isStored)
        time.advance(by: .seconds(-ahead))
        try await expectEqual((cache.entry(for: key) != nil), isKept)
        try await expectEqual((cache.metadata(for: key) != nil), isKept)
        expect(folder.entryFiles.isEmpty != isKept)
        await expectEqual(cache.statistics.expirations, (isKept ? 0 : 1))
        await expectEqual(cache.totalBytes, folder.entryBytes)
    }

    @Test
    func `files dated in the future are too old, also after a restart, and when the index was wrong`() async throws {
        // Files dated in the future are too old for the maintenance task, also after a restart.
        let first = makeCache()
        for number in 0..<3 { _ = try await first.store(sampleEntry(number), for: CacheKey("\(number)")) }
        _ = await first.shutdown(within: .seconds(60))
        let names = folder.entryFiles.keys.sorted()
        try date(names.prefix(2), at: time.now + .seconds(2_000_000_000))
        let second = makeCache()
        await expectEqual(second.entryCount, 3)
        try await expectEqual(second.removeExpired(), 2)
        expectEqual(folder.entryFiles.keys.sorted(), Array(names.suffix(1)))

        try folder.empty()
        // The date of a file found while the index was wrong is checked, too.
        let cache = makeCache()
        _ = await cache.totalBytes
        let other = makeCache()
        _ = try await other.store(sampleEntry(), for: key)
        try date(folder.entryFiles.keys, at: time.now + .seconds(2_000_000_000))
        try await expect(cache.entry(for: key) != nil)
        await cache.maintenance?.value
        await expectEqual(cache.entryCount, 1)
        try await expectEqual(cache.removeExpired(), 1)
    }

    @Test func `an entry stored by a fast clock goes first when the clock is right again`() async throws {
        let cache = makeCache()
        time.advance(by: .seconds(2_000_000_000))
        _ = try await cache.store(sampleEntry(), for: key)
        time.advance(by: .seconds(-2_000_000_000))
        for number in 0..<20 { _ = try await cache.store(sampleEntry(number, size: 2_000), for: CacheKey("\(number)")) }
        try await cache.trim(toBytes: await cache.totalBytes - 1)
        await expectEqual(cache.entryCount, 20)
        expect(!FileManager.default.fileExists(atPath: KeyDigest(of: key).path(in: folder.path)))
    }

    @Test func `a use noted by a fast clock, also in a file, keeps no entry`() async throws {
        // A use noted by a fast clock does not protect an entry forever.
        let cache = makeCache()
        for number in 0..<20 { _ = try await cache.store(sampleEntry(number), for: CacheKey("\(number)")) }
        time.advance(by: .seconds(500_000))
        try await expect(cache.contains(CacheKey("7")))
        time.advance(by: .seconds(-400_000))
        for number in 0..<20 where number != 7 { try await expect(cache.contains(CacheKey("\(number)"))) }
        try await cache.trim(toBytes: await cache.totalBytes - 1)
        await expectEqual(cache.entryCount, 19)
        try await expect(!cache.contains(CacheKey("7")))

        try folder.empty()
        // A use in a file that is dated in the future does not keep it.
        let first = makeCache()
        let digest = KeyDigest(of: key)
        _ = try await first.store(sampleEntry(), for: key)
        let future = (time.now + .seconds(2_000_000_000)).wholeSeconds
        try first.files.inFolder(digest.folder) { folder throws(SystemFailure) in
            try FileSystem().setAccess(digest.fileName, in: folder, to: future)
        }
        time.advance(by: .seconds(604_860))
        try await expectEqual(makeCache().removeExpired(), 1)
    }
}
