// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Changes of what is known about a stored entry.
struct RenewalTests {
    private let folder: TemporaryFolder
    private let time = TestTime()
    private let key = CacheKey("https://images.example/1.png")

    init() throws { folder = try TemporaryFolder(isInMemory: true) }

    private func makeCache(system: FileSystem = FileSystem()) -> DiskCache {
        let time = self.time
        return DiskCache(
            .init(folder: folder.path, now: { time.now }),
            pool: .init(name: "disk", width: 1, maximumQueueLength: 100), system: system, executor: nil)
    }

    @Test func `a renewal changes the metadata, counts as a store, and leaves the bytes`() async throws {
        let cache = makeCache()
        // Longer than what fills up the metadata, so that the file grows.
        let tag = String(repeating: "a much longer entity tag than before", count: 100)
        _ = try await cache.store(sampleEntry(1, size: 5_000), for: key)
        let before = await cache.totalBytes
        time.advance(by: .seconds(100_000))
        let outcome = try await cache.renew(key, ifContentIs: sampleEntry(1, size: 5_000).metadata.generation) {
            $0.etag = tag
            $0.attributes["note"] = nil
            $0.storedAt = 5
            $0.generation = nil
        }
        expectEqual(outcome?.isStored, true)
        await expectAll(cache.totalBytes == folder.entryBytes, folder.entryBytes > before)
        var expected = sampleEntry(1, size: 5_000)
        expected.metadata.etag = tag
        expected.metadata.attributes["note"] = nil
        expected.metadata.storedAt = time.now.components.seconds
        try await expectEqual(cache.entry(for: key), expected)
        expectEmpty(folder.unfinishedFiles)
    }

    @Test
    func `no renewal changes an entry that is missing, damaged, another or too large, or after the end`() async throws {
        // An entry with another content, a damaged one and a missing one are not renewed.
        let cache = makeCache()
        try await expectNil(cache.renew(key) { $0.etag = "new" })
        _ = try await cache.store(sampleEntry(1), for: key)
        let other = ContentGeneration(of: [1, 2, 3])
        try await expectNil(cache.renew(key, ifContentIs: other) { $0.etag = "new" })
        try await expectEqual(cache.metadata(for: key)?.etag, sampleEntry(1).metadata.etag)
        let path = EntryFiles(folder: folder.path, isSynced: false).path(of: KeyDigest(of: key))
        var bytes = try folder.read(path)
        bytes[bytes.count - 1] ^= 1
        try folder.write(bytes, to: path)
        try await expectNil(cache.renew(key) { $0.etag = "new" })
        try expectEqual(folder.read(path), bytes)

        // Metadata that makes an entry too large is refused.
        do {
            let cache = DiskCache(.init(folder: folder.path, maximumByteCount: 80_000))
            _ = try await cache.store(sampleEntry(1), for: key)
            let outcome = try await cache.renew(key) { $0.etag = String(repeating: "x", count: 20_000) }
            expectEqual(outcome?.error?.code, .tooLarge)
            try await expectEqual(cache.metadata(for: key)?.etag, sampleEntry(1).metadata.etag)
        }

        // After a shutdown a renewal is refused, and a cancelled one changes nothing.
        do {
            let cache = makeCache()
            _ = try await cache.store(sampleEntry(1), for: key)
            let task = Task { [key] in
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                await expectError(CancellationError.self) { try await cache.renew(key) { $0.etag = "new" } }
            }
            await task.value
            try await expectEqual(cache.metadata(for: key)?.etag, sampleEntry(1).metadata.etag)
            _ = await cache.shutdown(within: .seconds(60))
            try await expectEqual(cache.renew(key) { $0.etag = "new" }?.error?.code, .shutDown)
        }
    }

    @Test func `a renewal that fails at any step leaves the earlier entry`() async throws {
        let plan = FaultPlan()
        let cache = makeCache(system: plan.system)
        _ = try await cache.store(sampleEntry(1), for: key)
        let before = plan.count
        try await expectEqual(cache.renew(key) { $0.etag = "0" }?.isStored, true)
        let steps = plan.count - before
        expect(steps, >, 8)
        for step in 1...steps {
            let start = plan.count
            plan.set { number, _ in number == start + step ? .failure(EIO) : nil }
            let outcome = try await cache.renew(key) { $0.etag = "\(step)" }
            plan.clear()
            let entry = try required(try await cache.entry(for: key), "step \(step)")
            expectEqual(entry.bytes, sampleEntry(1).bytes)
            expectEqual((entry.metadata.etag == "\(step)"), (outcome?.isStored == true), "step \(step)")
        }
        expectEmpty(folder.unfinishedFiles)
        expectEmpty(folder.openDescriptors)
    }
}
