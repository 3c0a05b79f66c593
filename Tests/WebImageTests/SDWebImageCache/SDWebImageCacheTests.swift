// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import SDWebImageCache
@testable import WebImage

/// A folder that SDWebImage has written, or shares.
struct SDWebImageCacheTests {
    let folder: TemporaryFolder
    let time = TestTime()
    let key = CacheKey("https://images.example/1.png")

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    func makeCache(
        readOnlyFolders: [String] = [], maximumAge: Duration = .seconds(604_800), maximumByteCount: Int = 0,
        date: SDWebImageCache.Date = .access, warnings: WarningLog = .init(), system: FileSystem = FileSystem()
    ) -> SDWebImageCache {
        let time = self.time
        return SDWebImageCache(
            .init(
                folder: folder.path, readOnlyFolders: readOnlyFolders, maximumAge: maximumAge,
                maximumByteCount: maximumByteCount,
                date: date, onWarning: { warnings.append($0) }, now: { time.now }),
            pool: WorkerPool(name: "flat", width: 2, maximumQueueLength: 100), system: system, executor: nil)
    }

    func path(_ key: CacheKey, _ folder: String? = nil) -> String {
        (folder ?? self.folder.path) + "/" + SDWebImageName(key).file
    }

    @Test func `a file that SDWebImage has written is found, and a stored entry is a plain file`() async throws {
        // A file that SDWebImage has written is found, with and without its extension.
        let cache = makeCache()
        try folder.write([1, 2, 3], to: path(key))
        let entry = try required(try await cache.entry(for: key))
        expectEqual(entry.bytes, [1, 2, 3])
        expectEqual(entry.metadata.url, key.rawValue)
        expectEqual(entry.metadata.generation, ContentGeneration(of: [1, 2, 3]))
        let old = CacheKey("https://images.example/old.png")
        try folder.write([4], to: folder.path + "/" + SDWebImageName(old).digest)
        try await expectEqual(cache.entry(for: old)?.bytes, [4])
        try await cache.remove(old)
        try await expectNil(cache.entry(for: old))

        // A stored entry is a plain file, and what is known about it comes back.
        do {
            let cache = makeCache()
            try await expect(cache.store(sampleEntry(size: 5_000), for: key).isStored)
            try expectEqual(folder.read(path(key)), sampleEntry(size: 5_000).bytes)
            var expected = sampleEntry(size: 5_000)
            expected.metadata.storedAt = time.now.wholeSeconds
            try await expectEqual(makeCache().entry(for: key), expected)
            let visible = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
            expectEqual(visible, [SDWebImageName(key).file])
        }
    }

    @Test func `what was known is ignored when SDWebImage has replaced the file, or it is damaged`() async throws {
        let cache = makeCache()
        _ = try await cache.store(sampleEntry(), for: key)
        let replaced = Array(sampleEntry().bytes.reversed())
        try folder.write(replaced, to: path(key))
        try await expectNil(cache.entry(for: key)?.metadata.etag)
        try await expectEqual(cache.entry(for: key)?.bytes, replaced)
        _ = try await cache.store(sampleEntry(), for: key)
        let hidden = folder.path + "/.swift-web-image/" + SDWebImageName(key).digest
        let noted = try folder.read(hidden)
        for length in 0..<noted.count {
            try folder.write(Array(noted.prefix(length)), to: hidden)
            try await expectEqual(cache.entry(for: key)?.bytes, sampleEntry().bytes)
        }
        try await expectNil(cache.entry(for: key)?.metadata.etag)
    }

    /// Whether the file system of the test keeps attributes.
    private func withAttribute(_ path: String, _ body: (FileSystem, FileSystem.Descriptor) throws -> Void) throws {
        let system = FileSystem()
        let place = try system.openFolder(folder.path, mayBeLink: true)
        defer { try? system.close(place) }
        let file = try system.openForReading((path as NSString).lastPathComponent, in: place)
        defer { try? system.close(file) }
        try body(system, file)
    }

    @Test(arguments: [ENOTSUP, ENOSPC, EDQUOT, E2BIG])
    func `extended data is kept in an attribute, or beside it where there is none, and what SDWebImage writes counts`(
        number: Int32
    ) async throws {
        // Extended data stays where the file system has no attributes or no room for them.
        let faults = FaultPlan()
        faults.set { _, call in call == .attribute ? .failure(number) : nil }
        let cache = makeCache(system: faults.system)
        var entry = sampleEntry()
        entry.metadata.extendedData = [UInt8](repeating: 3, count: 10_000)
        try await expect(cache.store(entry, for: key).isStored)
        try await expectEqual(cache.entry(for: key)?.metadata.extendedData, entry.metadata.extendedData)
        try await cache.renew(key, ifContentIs: nil) { $0.extendedData = [1] }
        try await expectEqual(cache.entry(for: key)?.metadata.extendedData, [1])
        faults.clear()
        // Where there is room later, what SDWebImage writes counts, and not what is noted.
        var isKept = true
        try withAttribute(path(key)) { system, file in
            do { try system.setAttribute(FlatFiles.attributeName, of: file, to: [6]) } catch { isKept = false }
        }
        try await expectEqual(cache.entry(for: key)?.metadata.extendedData, (isKept ? [6] : [1]))
        try await cache.renew(key, ifContentIs: nil) { $0.extendedData = nil }
        try await expectNil(cache.entry(for: key)?.metadata.extendedData)

        // Extended data that SDWebImage has written is read, and what it changes later counts.
        do {
            let cache = makeCache()
            try folder.write([1, 2, 3], to: path(key))
            var isKept = true
            try withAttribute(path(key)) { system, file in
                do { try system.setAttribute(FlatFiles.attributeName, of: file, to: [7, 8, 9]) } catch {
                    isKept = false
                }
            }
            try await expectEqual(cache.entry(for: key)?.metadata.extendedData, (isKept ? [7, 8, 9] : nil))
            var entry = sampleEntry()
            entry.metadata.extendedData = [4, 5]
            try await expect(cache.store(entry, for: key).isStored)
            try await expectEqual(makeCache().entry(for: key)?.metadata.extendedData, [4, 5])
            guard isKept else { return }
            try withAttribute(path(key)) { system, file in
                expectEqual(system.attribute(FlatFiles.attributeName, of: file), [4, 5], "where SDWebImage looks")
                try system.setAttribute(FlatFiles.attributeName, of: file, to: [6])
            }
            try await expectEqual(cache.entry(for: key)?.metadata.extendedData, [6])
            try await cache.renew(key, ifContentIs: nil) { $0.extendedData = [10] }
            try withAttribute(path(key)) { system, file in
                expectEqual(system.attribute(FlatFiles.attributeName, of: file), [10])
                try system.setAttribute(FlatFiles.attributeName, of: file, to: nil)
            }
            try await expectNil(cache.entry(for: key)?.metadata.extendedData, "SDWebImage has removed it")
            try await expectEqual(cache.entry(for: key)?.metadata.etag, sampleEntry().metadata.etag)
        }
    }

    @Test(arguments: [
        ("https://a.example/1@2x.png", 2.0), ("https://a.example/1@3x.png?x", 3), ("https://a.example/1%402x.png", 2),
        ("picture%403x.png", 1), ("picture@3x.png", 3), ("a@2x.gi", 1), ("aa@2x.gi", 2),
        ("https://a.example/1@4x.png", 1), ("https://a.example/1@2x", 1), ("", 1),
    ])
    func `a name says its scale as with SDWebImage`(name: String, scale: Double) {
        expectEqual(ImageRequest.scale(inName: name), scale)
    }

    @Test func `read-only folders are asked in order, and never written`() async throws {
        let extra = try [TemporaryFolder(isInMemory: true), TemporaryFolder(isInMemory: true)]
        let cache = makeCache(readOnlyFolders: ["/nowhere/at/all"] + extra.map(\.path))
        try folder.write([2], to: path(key, extra[1].path))
        time.advance(by: .seconds(86_400))
        try await expectEqual(cache.entry(for: key)?.bytes, [2])
        try folder.write([1], to: path(key, extra[0].path))
        try await expectEqual(cache.entry(for: key)?.bytes, [1])
        _ = try await cache.store(sampleEntry(), for: key)
        try await expectEqual(cache.entry(for: key)?.bytes, sampleEntry().bytes)
        try await cache.remove(key)
        try await cache.removeAll()
        _ = try await cache.removeExpired()
        try await expectEqual(cache.entry(for: key)?.bytes, [1])
        for folder in extra {
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder.path).count, 1)
            let place = try FileSystem().openFolder(folder.path, mayBeLink: true)
            let status = try FileSystem().status(of: SDWebImageName(key).file, in: place)
            try FileSystem().close(place)
            expect(abs(Double(status.accessedAt) - Double(time.now.wholeSeconds)), >, 1_000, "no use is noted")
        }
    }

    @Test
    func `old entries go, and then the oldest until the folder is half full, also by a store that fills it`()
        async throws
    {
        // Old entries go, and then the oldest until the folder is half full.
        let cache = makeCache(maximumByteCount: 10_000)
        for number in 0..<9 {
            try folder.write([UInt8](repeating: 1, count: 1_000), to: path(CacheKey("\(number)")))
            try touch(CacheKey("\(number)"), at: time.now - .seconds(1_000 * (9 - number)))
        }
        try await expectEqual(cache.removeExpired(), 0, "below the limit")
        try touch(CacheKey("3"), at: time.now - .seconds(604_800))
        try await expectEqual(cache.removeExpired(), 1)
        for number in 9..<13 { try folder.write([UInt8](repeating: 1, count: 1_000), to: path(CacheKey("\(number)"))) }
        try await expectEqual(cache.removeExpired(), 8, "to below half of the limit")
        for number in [8, 9, 10, 11, 12] where number != 8 {
            try await expect(cache.contains(CacheKey("\(number)")))
        }
        try await expect(!cache.contains(CacheKey("0")))

        try folder.empty()
        // A store that fills the folder sweeps it.
        do {
            let cache = makeCache(maximumByteCount: 10_000)
            for number in 0..<40 {
                _ = try await cache.store(sampleEntry(number, size: 1_000), for: CacheKey("\(number)"))
                time.advance(by: .seconds(10))
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
            expect((4...11).contains(files.count))
            try await expect(cache.contains(CacheKey("39")))
            try await expectEqual(cache.store(sampleEntry(1, size: 5_001), for: key).error?.code, .tooLarge)
        }
    }

    private func touch(_ key: CacheKey, at time: Duration) throws {
        let descriptor = try FileSystem().openFolder(folder.path, mayBeLink: true)
        defer { try? FileSystem().close(descriptor) }
        try FileSystem().setAccess(SDWebImageName(key).file, in: descriptor, to: time.wholeSeconds)
    }

    @Test func `the age counts from the access, the modification or the creation, as that is chosen`() async throws {
        let usual = SDWebImageCache.Configuration(folder: "/nowhere")
        expectAll(usual.date == .access, usual.maximumAge == .seconds(604_800), usual.maximumByteCount == 0)
        expectEqual(usual.sweepInterval, .seconds(3_600))
        // A use keeps an entry when the age counts from the access, and not otherwise.
        for date in SDWebImageCache.Date.allCases {
            let cache = makeCache(date: date)
            try folder.write([1], to: path(key))
            time.advance(by: .seconds(500_000))
            try await expect(cache.contains(key))
            time.advance(by: .seconds(500_000))
            // The time of a change is that of the system, which notes the access as a change.
            try await expectEqual(cache.removeExpired(), (date == .access ? 0 : 1), "\(date)")
            try await cache.removeAll()
            time.advance(by: .seconds(-1_000_000))
        }

        // A later modification keeps no entry whose age counts from its creation.
        for date in [SDWebImageCache.Date.modification, .creation, .change] {
            let cache = makeCache(date: date)
            try folder.write([1], to: path(key))
            time.advance(by: .seconds(1_000_000))
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: Double(time.now.wholeSeconds))], ofItemAtPath: path(key)
            )
            try await expectEqual(cache.removeExpired(), (date == .modification ? 0 : 1))
            try await cache.removeAll()
            time.advance(by: .seconds(-1_000_000))
        }
    }

    @Test func `what is no entry stays, and is never read`() async throws {
        let cache = makeCache()
        try folder.write([1], to: folder.path + "/notes.txt")
        try FileManager.default.createSymbolicLink(atPath: path(key), withDestinationPath: folder.path + "/notes.txt")
        try FileManager.default.createDirectory(atPath: path(CacheKey("folder")), withIntermediateDirectories: false)
        try await expectNil(cache.entry(for: key))
        try await expectNil(cache.entry(for: CacheKey("folder")))
        try await cache.removeAll()
        try expectEqual(folder.read(folder.path + "/notes.txt"), [1])
        try await expect(cache.store(sampleEntry(), for: key).isStored)
        try expectEqual(folder.read(folder.path + "/notes.txt"), [1])
    }

    @Test func `a store that fails at any step leaves the earlier entry or a whole new one`() async throws {
        let (plan, warnings) = (FaultPlan(), WarningLog())
        let cache = makeCache(warnings: warnings, system: plan.system)
        _ = try await cache.store(sampleEntry(1), for: key)
        let before = plan.count
        _ = try await cache.store(sampleEntry(1), for: key)
        for step in 1...(plan.count - before) {
            let start = plan.count
            plan.set { number, _ in number == start + step ? .failure(ENOSPC) : nil }
            _ = try await cache.store(sampleEntry(2), for: key)
            plan.clear()
            let found = try await cache.entry(for: key)?.bytes
            expect(found == sampleEntry(1).bytes || found == sampleEntry(2).bytes, "step \(step)")
            _ = try await cache.store(sampleEntry(1), for: key)
        }
        expect(warnings.codes.contains(.diskFull))
        expectEmpty(folder.openDescriptors)
        let hidden = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/.swift-web-image")
        expectEqual(hidden, [SDWebImageName(key).digest], "no unfinished file")
    }

    @Test func `after a shutdown reads miss and stores are refused`() async throws {
        let cache = makeCache()
        _ = try await cache.store(sampleEntry(), for: key)
        let report = await cache.shutdown(within: .seconds(60))
        expectEqual(report, .init(completedOperations: 0, abandonedOperations: 0))
        await expectEqual(cache.shutdown(within: .zero), report)
        try await expectNil(cache.entry(for: key))
        try await expectEqual(cache.store(sampleEntry(), for: key).error?.code, .shutDown)
        try await cache.removeAll()
        try expectEqual(folder.read(path(key)), sampleEntry().bytes)
    }
}
