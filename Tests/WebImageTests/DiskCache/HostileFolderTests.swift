// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing

@testable import WebImage

/// The contents of a cache folder are untrusted input.
struct HostileFolderTests {
    private let folder: TemporaryFolder
    private let key = CacheKey("https://images.example/1.png")

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func makeCache(maximumByteCount: Int = 1 << 20, warnings: WarningLog = .init()) -> DiskCache {
        DiskCache(.init(folder: folder.path, maximumByteCount: maximumByteCount, onWarning: { warnings.append($0) }))
    }

    private func path(_ key: CacheKey) -> String { KeyDigest(of: key).path(in: folder.path) }

    /// Writes a sparse file that begins with `bytes` and has the size `size`.
    private func makeSparseFile(_ bytes: [UInt8], size: Int, at path: String) throws {
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        try folder.write(bytes, to: path)
        try #require(unsafe truncate(path, off_t(size)) == 0)
    }

    @Test func `keys made to collide under an unkeyed checksum are both kept`() async throws {
        let rest = String(repeating: "y", count: 24) + ".png"
        let filler = String(repeating: "x", count: 24)
        // Equal XXH64 under the seeds 0 and 0x2545F4914F6CDD1D.
        let keys = [("maH&~0CM", "@yatpj8T"), ("m!4y!6a1", "@yatpJOT")].map { first, second in
            CacheKey("https://images.example/pictures/" + first + filler + second + rest)
        }
        for seed: UInt64 in [0, 0x2545_F491_4F6C_DD1D] {
            let checksums = keys.map { Checksum.of(Array($0.rawValue.utf8), seed: seed) }
            expectEqual(checksums[0], checksums[1])
        }
        let cache = makeCache()
        for (number, key) in keys.enumerated() {
            try await expect(cache.store(sampleEntry(number), for: key).isStored)
        }
        for (number, key) in keys.enumerated() {
            try await expectEqual(cache.entry(for: key)?.bytes, sampleEntry(number).bytes)
        }
        await expectEqual(cache.entryCount, 2)
    }

    @Test(arguments: [Int.max, 1 << 40, 1 << 25])
    func `a length that is only a hole in the file allocates no memory`(size: Int) async throws {
        for withMetadata in [false, true] {
            let cache = makeCache(maximumByteCount: .max)
            let front = try required(EntryHeader.front(key: key, metadata: .init(url: "u"), body: []))
            // The lengths add up, and the checksum of the front is right: any program can make such a header.
            let length = withMetadata ? front.count : size
            let hostile = EntryHeader.forged(front, bodyLength: length - front.count)
            try makeSparseFile(hostile, size: size, at: path(key))
            try await expectNil(cache.entry(for: key))
            try await expectNil(cache.metadata(for: key))
            expectEmpty(folder.entryFiles)
            await expectEqual(cache.statistics.damagedEntries, 1)
        }
    }

    @Test func `files of the largest possible size are counted without a trap, and are evicted first`() async throws {
        let first = makeCache()
        for number in 0..<20 { _ = try await first.store(sampleEntry(number), for: CacheKey("\(number)")) }
        _ = await first.shutdown(within: .seconds(60))
        for number in 0..<3 {
            try makeSparseFile([], size: .max, at: KeyDigest(high: 1, low: UInt64(number)).path(in: folder.path))
        }
        let second = makeCache()
        _ = await second.totalBytes
        await second.maintenance?.value
        await expectEqual(second.entryCount, 20)
        await expectEqual(second.totalBytes, folder.entryBytes)
    }

    @Test
    func `a folder in the cache that is a link is refused, and nothing in it is changed; the cache's own may be one`()
        async throws
    {
        // An entry folder that is a link is refused by every operation, with a warning.
        let outside = try TemporaryFolder()
        let (digest, manager) = (KeyDigest(of: key), FileManager.default)
        let first = makeCache()
        try await expect(first.store(sampleEntry(), for: key).isStored)
        _ = await first.shutdown(within: .seconds(60))
        let inside = folder.path + "/" + digest.folder
        try manager.moveItem(atPath: inside, toPath: outside.path + "/stolen")
        try manager.createSymbolicLink(atPath: inside, withDestinationPath: outside.path + "/stolen")

        let warnings = WarningLog()
        let cache = makeCache(warnings: warnings)
        await expectEqual(cache.entryCount, 0)
        try await expectNil(cache.entry(for: key))
        expectEqual(warnings.codes, [.folderUnavailable])
        try await expectEqual(cache.store(sampleEntry(2), for: key).error?.code, .folderUnavailable)
        expectEqual(warnings.codes, [.folderUnavailable, .folderUnavailable])
        try await cache.remove(key)
        try await cache.removeAll()
        try await cache.trim(toBytes: 0)
        expect(warnings.messages.allSatisfy { $0.contains("link") })
        let stolen = try manager.contentsOfDirectory(atPath: outside.path + "/stolen")
        expectEqual(stolen, [digest.fileName], "files outside are not changed")

        try manager.removeItem(atPath: inside)
        try await expect(cache.store(sampleEntry(2), for: key).isStored, "its removal ends the failure")
        try await expectEqual(cache.entry(for: key)?.bytes, sampleEntry(2).bytes)

        try folder.empty()
        // A folder of unfinished files that is a link is refused, and nothing in it is removed.
        do {
            let outside = try TemporaryFolder()
            try folder.write([1], to: outside.path + "/4194999-abc-1")
            try FileManager.default.createSymbolicLink(
                atPath: folder.path + "/tmp", withDestinationPath: outside.path)
            let cache = makeCache()
            _ = await cache.totalBytes
            try await expectEqual(cache.store(sampleEntry(), for: key).error?.code, .folderUnavailable)
            try expectEqual(FileManager.default.contentsOfDirectory(atPath: outside.path), ["4194999-abc-1"])
        }

        try folder.empty()
        // The cache's own folder may be a link: that is the caller's choice.
        do {
            let outside = try TemporaryFolder()
            let link = folder.path + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: outside.path)
            let cache = DiskCache(.init(folder: link))
            try await expect(cache.store(sampleEntry(), for: key).isStored)
            try await expect(cache.entry(for: key) != nil)
            expectEqual(outside.entryFiles.count, 1)
        }
    }
}

extension EntryHeader {
    /// A front that announces another length of the body, with a matching checksum.
    static func forged(_ front: [UInt8], bodyLength: Int) -> [UInt8] {
        var bytes = front
        for place in 0..<8 { bytes[16 + place] = UInt8(truncatingIfNeeded: bodyLength >> (8 * place)) }
        let checksum = Checksum.of(bytes[length...], seed: Checksum.of(bytes[..<32]))
        for place in 0..<8 { bytes[32 + place] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt64(place))) }
        return bytes
    }
}
