// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Which caches a load and a program read, fill and empty. See `Tests/Upstream.md`.
@Suite(.balanced, .timeLimit(.minutes(1))) struct CacheUseTests {
    private static let box = PixelSize(width: 4, height: 4)
    private static let small = ImageRequest.numbered(1, transformers: [.resize(to: box)])

    private static func value<Value: Sendable>(
        _ staged: StagedManager, _ body: @escaping @concurrent @Sendable (ImageManager) async throws -> Value
    ) -> Value? {
        let probe = staged.start(body)
        staged.run()
        return probe.value
    }

    @Test(arguments: fewerSeeds)
    func `a disk cache is empty until something is stored, counts it, and is emptied alone`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        expectEqual(Self.value(staged) { await $0.diskCache?.totalBytes }, 0)
        expectEqual(Self.value(staged) { await $0.diskCache?.entryCount }, 0)
        staged.loadInTurn(.numbered(1))
        expectEqual(Self.value(staged) { await $0.diskCache?.entryCount }, 1)
        expect(Self.value(staged) { await $0.diskCache?.totalBytes } == staged.folder?.entryBytes)
        expectEqual(staged.fileCount, 1)
        _ = Self.value(staged) { try await $0.clear(.disk) }
        expectEqual(staged.fileCount, 0)
        expect(staged.manager.peek(.numbered(1)) != nil)
    }

    @Test(arguments: [CacheTiers.memory, .disk, .all, []], fewerSeeds)
    func `what a program stores goes to the tiers that its request names`(tiers: CacheTiers, seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let image = ImageFactory.picture(width: 4, height: 4, seed: 7)
        var request = Self.small
        request.cacheWrites = CacheAccess(tiers)
        let stored = request
        _ = Self.value(staged) { await $0.store(image, for: stored) }
        expectEqual(Self.value(staged) { try await $0.contains(stored) }, tiers)
        let file = try Pictures.png(2)
        var second = ImageRequest.numbered(2)
        second.cacheWrites = CacheAccess(tiers)
        let original = second
        _ = Self.value(staged) { try await $0.store(file, for: original) }
        expectEqual(
            staged.manager.pipeline.caches.memory.contains(.file(original.originalKey)), tiers.contains(.memory))
        expectEqual(
            Self.value(staged) { try await $0.diskCache?.contains(original.originalKey) }, tiers.contains(.disk))
    }

    @Test(arguments: fewerSeeds) func `a load reads only the tiers that its request names`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        func load(reading tiers: CacheTiers, writing writes: CacheTiers = .all) -> Probe<ImageResponse> {
            var request = ImageRequest.numbered(1)
            request.cachePolicy = .onlyIfCached
            request.cacheReads = CacheAccess(tiers)
            request.cacheWrites = CacheAccess(writes)
            let caller = staged.loadInTurn(request)
            return caller
        }
        staged.loadInTurn(.numbered(1))
        expectEqual(load(reading: .memory).value?.source, .memory)
        expectEqual(load(reading: .disk).value?.source, .disk)
        expectEqual(load(reading: []).code, .notInCache)
        staged.emptyMemory()
        expectEqual(load(reading: .memory).code, .notInCache)
        expectEqual(load(reading: .all, writing: .disk).value?.source, .disk)
        expectNil(staged.manager.peek(.numbered(1)), "a look-up fills memory only if the request allows it")
        expectEqual(load(reading: .all).value?.source, .disk)
        expect(staged.manager.peek(.numbered(1)) != nil)
        expectEqual(staged.transport.requests.count, 1)
    }

    @Test(arguments: fewerSeeds) func `a store of a program is all that its requests read and fill`(
        seed: UInt64
    ) throws {
        let staged = try StagedManager(seed: seed)
        let shelf = CachingDocumentationTests.Shelf()
        let own = ImageCaches(memory: MemoryLimits(), disk: shelf, executor: staged.executor)
        var request = Self.small
        request.caches = Identified(identity: "shelf", own)
        request.waitsForStores = true
        let (tenant, original, variant) = (request, request.originalKey, request.variantKey)
        // What the store has is looked at in the step in which the load returns.
        let keys = Self.value(staged) { manager in
            _ = try await manager.load(tenant)
            return await Set(shelf.entries.keys)
        }
        expectEqual(keys, [original, variant])
        expectEqual(staged.fileCount, 0)
        _ = Self.value(staged) { _ in await own.memory.removeAll() }
        let again = staged.loadInTurn(tenant)
        expectEqual(again.value?.source, .disk)
        _ = Self.value(staged) { try await $0.remove(tenant) }
        expectEqual(Self.value(staged) { _ in await shelf.entries[original] == nil }, true)
        expectEqual(staged.transport.requests.count, 1)
    }

    @Test(arguments: fewerSeeds) func `a thumbnail of a stored original leaves the original as it was`(
        seed: UInt64
    ) throws {
        let staged = try StagedManager(seed: seed)
        staged.loadInTurn(.numbered(1))
        staged.emptyMemory()
        let before = Self.value(staged) { try await $0.diskCache?.entry(for: ImageRequest.numbered(1).originalKey) }
        let thumbnail = staged.loadInTurn(Self.small)
        expectEqual(thumbnail.value?.source, .disk)
        expectEqual(thumbnail.value?.image.width, 4)
        let after = Self.value(staged) { try await $0.diskCache?.entry(for: ImageRequest.numbered(1).originalKey) }
        expectEqual(after??.bytes, (try Pictures.png(1)))
        expectEqual(before, after)
        expectNil(staged.manager.peek(.numbered(1)), "the thumbnail is not under the name of its original")
        expectEqual(Self.value(staged) { try await $0.diskCache?.contains(Self.small.variantKey) }, true)
    }
}
