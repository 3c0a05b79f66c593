// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The entries of a folder, page by page.
struct PageTests {
    private let folder: TemporaryFolder
    private let cache: DiskCache
    private let warnings = WarningLog()

    init() throws {
        folder = try TemporaryFolder(isInMemory: true)
        let warnings = self.warnings
        cache = DiskCache(.init(folder: folder.path, onWarning: { warnings.append($0) }))
    }

    private func pages(
        limit: Int, verifiesBodies: Bool = false, removesDamages: Bool = false
    ) async throws -> [DiskCache.Page] {
        var (pages, place) = ([DiskCache.Page](), DiskCache.Page.Place?.none)
        repeat {
            pages.append(
                try await cache.page(
                    from: place, limit: limit, verifiesBodies: verifiesBodies, removesDamages: removesDamages))
            place = pages.last?.next
        } while place != nil
        return pages
    }

    private func path(_ key: CacheKey) -> String { KeyDigest(of: key).path(in: folder.path) }

    @Test(arguments: [Int.min, 1, 3, 1_000, .max])
    func `the pages have each entry once, and no more at a time than asked for`(limit: Int) async throws {
        // Many are of one original, so they lie in one folder.
        let keys = (0..<30).map { CacheKey("\($0)") } + (0..<20).map { CacheKey(CacheKey("one"), suffix: "#\($0)") }
        for (number, key) in keys.enumerated() {
            _ = try await cache.store(sampleEntry(number, size: number), for: key)
        }
        try folder.write([1], to: folder.path + "/" + KeyDigest(of: keys[0]).folder + "/notes.txt")
        let pages = try await pages(limit: limit)
        expect(pages.allSatisfy { $0.entries.count <= min(max(1, limit), 1_000) && $0.damages.isEmpty })
        let entries = pages.flatMap(\.entries)
        expectEqual(entries.map(\.key).sorted(), keys.map(\.rawValue).sorted())
        expectEqual(entries.map(\.byteCount).reduce(0, +), folder.entryBytes)
        expect(entries.allSatisfy { $0.metadata.contentType == "image/png" && $0.metadata.storedAt > 0 })
        await expectEqual(cache.statistics.hits, 0)
    }

    @Test
    func `damaged files are named and removed on request alone, and one that cannot be read is named with the reason`()
        async throws
    {
        // Damaged files are named, removed on request alone, and entries stay.
        let keys = (0..<6).map { CacheKey("\($0)") }
        for key in keys { _ = try await cache.store(sampleEntry(size: 3_000), for: key) }
        var body = try folder.read(path(keys[1]))
        body[body.count - 1] ^= 1
        try folder.write(body, to: path(keys[1]))
        var front = try folder.read(path(keys[2]))
        front[50] ^= 1
        try folder.write(front, to: path(keys[2]))
        // A whole entry in the place of another one.
        try folder.write(try folder.read(path(keys[0])), to: path(keys[3]))
        func names(_ pages: [DiskCache.Page]) -> [String] { pages.flatMap(\.damages).map(\.path).sorted() }
        expectEqual(names(try await pages(limit: 2)), [path(keys[2]), path(keys[3])].sorted(), "bodies are not read")
        let found = try await pages(limit: 2, verifiesBodies: true)
        expectEqual(names(found), keys[1...3].map(path).sorted())
        expectEqual([found.flatMap(\.entries).count, folder.entryFiles.count], [3, 6])
        expect(found.flatMap(\.damages).allSatisfy { $0.error == nil && !$0.isRemoved && $0.byteCount > 3_000 })
        let removed = try await pages(limit: 2, verifiesBodies: true, removesDamages: true)
        expectEqual(removed.flatMap(\.damages).map(\.isRemoved), [true, true, true])
        expectEqual(folder.entryFiles.count, 3)
        expectEqual(names(try await pages(limit: 2, verifiesBodies: true)), [])
        await expectEqual(cache.totalBytes, folder.entryBytes)

        // A file that cannot be read is named with the reason and stays.
        do {
            let faults = FaultPlan()
            var stage = try SeededStage(seed: 1, system: faults.system)
            _ = stage.outcome { try await $0.store(sampleEntry(), for: CacheKey("k")) }
            faults.set { _, call in call == .read ? .failure(EIO) : nil }
            let found = stage.outcome { cache in
                var (damages, place) = ([DiskCache.Page.Damage](), DiskCache.Page.Place?.none)
                repeat {
                    let page = try await cache.page(from: place, removesDamages: true)
                    (damages, place) = (damages + page.damages, page.next)
                } while place != nil
                return damages
            }
            expectEqual(found.value?.map(\.error?.code), [.inputOutput])
            expectEqual(stage.folder.entryFiles.count, 1)
            expectEqual(stage.leftovers(), [])
        }
    }

    @Test func `a page has a thousand files at most, whatever is asked for`() async throws {
        let place = DiskCache.Page.Place(folder: 7, name: "")
        let names = (0..<1_001).map { KeyDigest(high: 7, low: $0).path(in: folder.path) }
        try FileManager.default.createDirectory(
            atPath: (names[0] as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        for name in names { try folder.write([1], to: name) }
        let page = try await cache.page(from: place, limit: .max)
        expectEqual(page.damages.count, 1_000)
        let next = try await cache.page(from: page.next, limit: .max)
        expectEqual(next.damages.map(\.path), [names[1_000]])
    }

    @Test func `a damaged file that is replaced before its removal stays, and is not said to be removed`() throws {
        let faults = FaultPlan()
        var stage = try SeededStage(seed: 1, system: faults.system)
        let (key, successor) = (CacheKey("k"), sampleEntry(2))
        let (digest, files) = (KeyDigest(of: key), EntryFiles(folder: stage.folder.path, isSynced: false))
        _ = stage.outcome { try await $0.store(sampleEntry(), for: key) }
        try stage.folder.write([1, 2, 3], to: files.path(of: digest))
        let front = try required(EntryHeader.front(key: key, metadata: successor.metadata, body: successor.bytes))
        // The second look at a file is that before the removal.
        let looks = Journal<Void>()
        faults.set { _, call in
            guard call == .status else { return nil }
            looks.write(())
            if looks.count == 2 {
                _ = try? files.write(
                    front: front, body: successor.bytes, as: digest, storedAt: TestTime().now.wholeSeconds)
            }
            return nil
        }
        let place = DiskCache.Page.Place(folder: digest.folderNumber, name: "")
        let page = stage.outcome { try await $0.page(from: place, removesDamages: true) }
        faults.clear()
        expectEqual(page.value?.damages.map(\.isRemoved), [false])
        expectEqual(stage.outcome { try await $0.entry(for: key)?.bytes }.value, successor.bytes)
        expectEqual(stage.leftovers(), [])
    }

    @Test func `other operations run between the files of a page, and a shutdown ends the listing`() throws {
        var stage = try SeededStage(seed: 3)
        let original = CacheKey("one")
        for number in 0..<20 {
            _ = stage.outcome { try await $0.store(sampleEntry(), for: CacheKey(original, suffix: "\(number)")) }
        }
        let (cache, digest) = (stage.cache, KeyDigest(of: original))
        let place = DiskCache.Page.Place(folder: digest.folderNumber, name: "")
        let listing = Probe(on: stage.executor) { try await cache.page(from: place) }
        stage.runWithoutDisk()
        let statistics = Probe(on: stage.executor) { await cache.statistics.stores }
        stage.runWithoutDisk()
        expectAll(listing.isRunning, statistics.value == 20)
        stage.run()
        expectEqual(listing.value?.entries.count, 20)
        _ = stage.outcome { await $0.shutdown(within: .seconds(1)) }
        let late = stage.outcome { try await $0.page() }
        expectEqual(late.value?.entries.count, 0)
        expectNil(late.value?.next)
    }
}
