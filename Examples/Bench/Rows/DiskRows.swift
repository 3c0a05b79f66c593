// SPDX-License-Identifier: MIT
import CBenchBaselines
import WebImage

extension Family {
    static let diskHit = Family(
        name: "disk-hit", summary: "DiskCache.entry(for:), verified, against open, fstat and read of the same bytes"
    ) { effort, show in
        for size in DiskSize.all {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let cache = DiskCache(.init(folder: folder.path("cache")))
            let entry = DiskEntry(metadata: EntryMetadata(url: "https://example.com/"), bytes: Noise.bytes(size.bytes))
            let keys = (0..<keyCount).map { CacheKey("https://example.com/picture/\($0).jpeg") }
            let files = keys.indices.map { folder.path("plain-\($0)") }
            for (key, file) in zip(keys, files) {
                if let error = try await cache.store(entry, for: key).error { throw error }
                guard unsafe bench_file_store(file + "~", file, entry.bytes, entry.bytes.count) else {
                    throw Failure("could not write \(file)")
                }
            }
            let figures = try await measure(
                effort,
                Contender("DiskCache.entry") { count in
                    for turn in 0..<count {
                        let entry = try await cache.entry(for: keys[turn % keyCount])
                        guard entry?.bytes.count == size.bytes else { throw Failure("a stored entry is missing") }
                        blackHole(entry)
                    }
                },
                Contender("open, fstat, read") { count in
                    for turn in 0..<count where unsafe bench_file_read(files[turn % keyCount]) != size.bytes {
                        throw Failure("a plain file cannot be read")
                    }
                })
            show(Row("disk-hit/\(size.name)", figures[0], against: figures[1], by: .cpu, atMost: 2))
            _ = await cache.shutdown(within: .seconds(1))
        }
    }

    static let diskMiss = Family(
        name: "disk-miss",
        summary: "DiskCache.entry(for:) of a key that is not stored, in a used folder, against a failing open"
    ) { effort, show in
        let folders = try UsedFolders(count: 1)
        defer { folders.remove() }
        let cache = DiskCache(.init(folder: folders.first))
        let entry = DiskEntry(metadata: EntryMetadata(url: "https://example.com/"), bytes: [1])
        if let error = try await cache.store(entry, for: CacheKey("https://example.com/")).error { throw error }
        let keys = (0..<keyCount).map { CacheKey("https://example.com/picture/\($0).jpeg") }
        let files = keys.indices.map { "\(folders.first)/plain-\($0)" }
        _ = await cache.entryCount
        let figures = try await measure(
            effort,
            Contender("DiskCache.entry") { count in
                for turn in 0..<count where try await cache.entry(for: keys[turn % keyCount]) != nil {
                    throw Failure("nothing was stored")
                }
            },
            Contender("open") { count in
                for turn in 0..<count where unsafe bench_file_read(files[turn % keyCount]) >= 0 {
                    throw Failure("there is no such file")
                }
            })
        show(Row("disk-miss", figures[0], against: figures[1], by: .cpu, atMost: 3))
        _ = await cache.shutdown(within: .seconds(1))
    }

    static let diskStore = Family(
        name: "disk-store", summary: "DiskCache.store(_:for:), checksummed, against write and rename of the same bytes"
    ) { effort, show in
        for size in DiskSize.all {
            let folder = try ScratchFolder()
            defer { folder.remove() }
            let cache = DiskCache(.init(folder: folder.path("cache")))
            let entry = DiskEntry(metadata: EntryMetadata(url: "https://example.com/"), bytes: Noise.bytes(size.bytes))
            let keys = (0..<keyCount).map { CacheKey("https://example.com/picture/\($0).jpeg") }
            let files = keys.indices.map { folder.path("plain-\($0)") }
            let figures = try await measure(
                effort,
                Contender("DiskCache.store") { count in
                    for turn in 0..<count {
                        if let error = try await cache.store(entry, for: keys[turn % keyCount]).error { throw error }
                    }
                },
                Contender("open, write, rename") { count in
                    for turn in 0..<count {
                        let file = files[turn % keyCount]
                        guard unsafe bench_file_store(file + "~", file, entry.bytes, entry.bytes.count) else {
                            throw Failure("could not write \(file)")
                        }
                    }
                })
            show(Row("disk-store/\(size.name)", figures[0], against: figures[1], by: .cpu, atMost: 1.7))
            _ = await cache.shutdown(within: .seconds(1))
        }
    }
}

private let keyCount = 100

private struct DiskSize {
    let name: String
    let bytes: Int

    static let all = [DiskSize(name: "20KB", bytes: 20_000), DiskSize(name: "500KB", bytes: 500_000)]
}
