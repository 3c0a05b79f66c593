// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// The caches of a manager as its programs reach them.
@Suite(.balanced, .timeLimit(.minutes(1))) struct CachesByRequestTests {
    static let small = ImageRequest.numbered(
        1, transformers: [.resize(to: PixelSize(width: 4, height: 4))])

    static func value<Value: Sendable>(
        _ staged: StagedManager, _ body: @escaping @concurrent @Sendable (ImageManager) async throws -> Value
    ) -> Value? {
        let probe = staged.start(body)
        staged.run()
        return probe.value
    }

    static func tiers(_ staged: StagedManager, _ request: ImageRequest) -> CacheTiers? {
        value(staged) { try await $0.contains(request) }
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `a look at the caches says where a picture is, costs no use, and never asks the origin`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        expectEqual(Self.tiers(staged, Self.small), [])
        staged.loadInTurn(Self.small)
        expectEqual(Self.tiers(staged, Self.small), .all)
        expectEqual(Self.tiers(staged, .numbered(1)), .disk, "the original, from which it can be made")
        staged.emptyMemory()
        expectEqual(Self.tiers(staged, Self.small), .disk)
        expectEqual(staged.manager.memoryStatistics.hits, 0)

        // A cached response never asks the origin.
        do {
            let staged = try StagedManager(seed: seed)
            let nothing = staged.start { try await $0.cachedResponse(for: Self.small) }
            staged.run()
            expectEqual(nothing.value.map { $0 == nil }, true)
            staged.loadInTurn(.numbered(1))
            staged.emptyMemory()
            let cached = Self.value(staged) { try await $0.cachedResponse(for: Self.small) } ?? nil
            expectEqual(cached?.image.width, 4)
            expectEqual(cached?.source, .disk)
            expectEqual(staged.transport.requests.count, 1)
        }
    }

    @Test(arguments: [CacheTiers.memory, .disk, .all], 0..<25 as Range<UInt64>)
    func `remove takes the original and everything made of it from the tiers that it names`(
        tiers: CacheTiers, seed: UInt64
    ) throws {
        let gate = Gate()
        let staged = try StagedManager(seed: seed, gate: gate)
        _ = staged.load(Self.small)
        _ = staged.load(.numbered(2))
        let file = staged.dataInTurn(Self.small, as: .webp())
        staged.open(gate)
        expect(file.value != nil)
        _ = Self.value(staged) { try await $0.remove(.numbered(1), from: tiers) }
        expectEqual(Self.tiers(staged, Self.small), CacheTiers.all.subtracting(tiers))
        let isFileThere = Self.value(staged) { try await $0.diskCache?.contains(Self.small.fileKey(.webp())) }
        expectEqual(isFileThere, !tiers.contains(.disk))
        expectEqual(Self.tiers(staged, .numbered(2)), .all, "another picture stays")
        expectEqual(staged.fileCount, (tiers.contains(.disk) ? 1 : 4))
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `a picture that a program stores is found, and bytes that are none are not stored`(seed: UInt64) throws {
        let staged = try StagedManager(seed: seed)
        let image = ImageFactory.picture(width: 4, height: 4, seed: 7)
        _ = Self.value(staged) { await $0.store(image, for: Self.small) }
        expectEqual(staged.manager.peek(Self.small)?.width, 4)
        staged.emptyMemory()
        let again = staged.loadInTurn(Self.small)
        expectEqual(again.value?.source, .disk)
        expectEqual(again.value?.image.frames[0].pixels, image.frames[0].pixels)
        expectEmpty(staged.transport.requests)

        // Bytes that are no picture are not stored.
        do {
            let staged = try StagedManager(seed: 1)
            let refused = staged.start { try await $0.store([1, 2, 3], for: .numbered(1)) }
            staged.run()
            expectEqual(refused.code, .undecodable)
            expectEqual(staged.fileCount, 0)
        }
    }

    @Test(arguments: [false, true], 0..<10 as Range<UInt64>)
    func `a picture stored without transformers is on disk, as PNG with alpha, else as JPEG, also under a key`(
        hasAlpha: Bool, seed: UInt64
    ) throws {
        for request in [ImageRequest.numbered(1), ImageRequest(key: "anna")] {
            let staged = try StagedManager(seed: seed)
            if request.cacheKey == nil { expect(staged.loadInTurn(Self.small).value != nil) }
            let image = ImageFactory.picture(width: 8, height: 8, seed: 7, hasAlpha: hasAlpha)
            _ = Self.value(staged) { await $0.store(image, for: request) }
            expectEqual(staged.manager.peek(request)?.hasAlpha, hasAlpha)
            expectNil(staged.manager.peek(Self.small), "what was made of another original goes")
            expectEqual(Self.tiers(staged, request), .all)
            staged.emptyMemory()
            let file = staged.dataInTurn(request, as: .original)
            expectEqual(file.value?.format, hasAlpha ? .png : .jpeg)
            let written: EncodedFormat = hasAlpha ? .png : .jpeg(quality: 90)
            try expectEqual(file.value?.bytes, ImageCoders.default.encode(image, as: written))
            expectEqual(staged.loadInTurn(request).value?.image.width, 8)
            var small = request
            small.transformers = Self.small.transformers
            expectEqual(staged.loadInTurn(small).value?.image.width, 4)
            _ = Self.value(staged) { await $0.store(image, for: request, format: .webp) }
            staged.emptyMemory()
            expectEqual(staged.dataInTurn(request, as: .original).value?.format, .webp)
            expectEqual(staged.transport.requests.count, request.cacheKey == nil ? 1 : 0)
        }
        let staged = try StagedManager(seed: seed)
        expectEqual(staged.loadInTurn(ImageRequest(key: "unknown")).code, .notInCache)
        // Its file is that of an original.
        for isWritten in [false, true] {
            var request = ImageRequest.numbered(isWritten ? 2 : 3)
            request.cacheWrites = CacheAccess(original: isWritten ? .disk : [], variant: isWritten ? [] : .disk)
            let image = ImageFactory.picture(width: 8, height: 8, seed: 7, hasAlpha: hasAlpha)
            _ = Self.value(staged) { [request] in await $0.store(image, for: request) }
            expectEqual(Self.tiers(staged, request), isWritten ? .disk : [])
        }
        // An animation keeps its frames, with alpha and without.
        let animation = ImageFactory.animation(width: 8, height: 8, frames: 3, seed: 7, hasAlpha: hasAlpha)
        expectEqual(animation.hasAlpha, hasAlpha)
        _ = Self.value(staged) { await $0.store(animation, for: .numbered(4)) }
        staged.emptyMemory()
        expectEqual(staged.loadInTurn(.numbered(4)).value?.image.frameCount, 3)
    }

    @Test(arguments: [false, true], 0..<10 as Range<UInt64>)
    func `the disk keeps variants without alpha in a format of their own when there is one`(
        hasAlpha: Bool, seed: UInt64
    ) throws {
        var configuration = ImageManager.Configuration.unchanged
        configuration.variantStorage = VariantStorage(opaqueFormat: .jpeg())
        let staged = try StagedManager(seed: seed, configuration: configuration)
        let image = ImageFactory.picture(width: 4, height: 4, seed: 7, hasAlpha: hasAlpha)
        _ = Self.value(staged) { await $0.store(image, for: Self.small) }
        let entry = Self.value(staged) { try await $0.diskCache?.entry(for: Self.small.variantKey) } ?? nil
        expectEqual(entry.flatMap { ImageFormat(sniffing: $0.bytes) }, hasAlpha ? .png : .jpeg)
    }

    @Test(arguments: [CacheTiers.memory, .disk, .all], 0..<10 as Range<UInt64>)
    func `one variant or one file is removed, and everything else of its original stays`(
        tiers: CacheTiers, seed: UInt64
    ) throws {
        let other = ImageRequest.numbered(1, transformers: [.resize(to: PixelSize(width: 5, height: 5))])
        for format in [nil, OutputFormat.webp()] {
            let staged = try StagedManager(seed: seed)
            for request in [Self.small, other] {
                staged.loadInTurn(request)
                staged.dataInTurn(request, as: .webp())
            }
            let before = staged.fileCount
            _ = Self.value(staged) { try await $0.removeVariant(Self.small, as: format, from: tiers) }
            expectEqual(before - staged.fileCount, tiers.contains(.disk) ? 1 : 0)
            let memory = staged.manager.pipeline.caches.memory
            let (picture, file) = (Self.small.variantKey, Self.small.fileKey(.webp()))
            expectEqual(memory.contains(.picture(picture)), format != nil || !tiers.contains(.memory))
            expectEqual(memory.contains(.file(file)), format == nil || !tiers.contains(.memory))
            expectEqual(Self.tiers(staged, other), .all)
            let isThere = Self.value(staged) { try await $0.diskCache?.contains(format == nil ? picture : file) }
            expectEqual(isThere, !tiers.contains(.disk))
            expectEqual(staged.loadInTurn(Self.small).value?.image.width, 4)
            expectEqual(staged.transport.requests.count, 1, "the original is there")
        }
        let staged = try StagedManager(seed: seed)
        staged.loadInTurn(.numbered(1))
        _ = Self.value(staged) { try await $0.removeVariant(.numbered(1)) }
        expectEqual(Self.tiers(staged, .numbered(1)), .disk, "the picture of an original is in memory alone")
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `a flush waits until what was loaded before is on disk, a load that waits for stores until its own content is`(
        seed: UInt64
    ) throws {
        // Flush waits until what was loaded before is on disk.
        let staged = try StagedManager(seed: seed)
        let callers = (0..<20).map { staged.load(.numbered($0)) }
        staged.run(without: .files)
        expect(callers.contains { $0.value == nil } || staged.fileCount == 0)
        staged.run()
        let flushed = staged.start { await $0.flush() }
        staged.run()
        expect(flushed.value != nil)
        expectEqual(staged.fileCount, 20)

        // A load that waits for stores returns when its content is on disk.
        do {
            let staged = try StagedManager(seed: seed, hasDisk: true)
            var request = ImageRequest.numbered(1)
            request.waitsForStores = true
            request.cachePolicy = .reload
            let caller = staged.load(request)
            staged.run(without: .files)
            expect(caller.isRunning)
            staged.run()
            expect(caller.value != nil)
            expectEqual(staged.fileCount, 1)
        }
    }

    @Test func `memory is trimmed and limited from the manager`() throws {
        let staged = try StagedManager(seed: 1, hasDisk: true)
        for number in 0..<4 { _ = staged.load(.numbered(number)) }
        staged.run()
        expectEqual(staged.manager.memoryStatistics.count, 4)
        let cost = staged.manager.memoryStatistics.cost / 4
        _ = Self.value(staged) { await $0.trimMemory(toCost: 5 * cost / 2) }
        expectEqual(staged.manager.memoryStatistics.count, 2)
        _ = Self.value(staged) { await $0.setMemoryLimits(MemoryLimits(maximumCost: 3 * cost / 2)) }
        expectEqual(staged.manager.memoryStatistics.count, 1)
    }

    @Test(arguments: [CacheTiers.all, .memory, .disk, []], 0..<20 as Range<UInt64>)
    func `original, variant and file each go where their policy says`(original: CacheTiers, seed: UInt64) throws {
        // The gate makes both loads share one transfer.
        for (variant, file) in [(CacheTiers.all, CacheTiers([])), (.memory, .disk), (.disk, .memory), ([], .all)] {
            let gate = Gate()
            let staged = try StagedManager(seed: seed, gate: gate)
            var request = Self.small
            request.cacheWrites = CacheAccess(original: original, variant: variant, file: file)
            let (picture, encoded) = (staged.load(request), staged.data(request, as: .webp()))
            staged.run()
            staged.open(gate)
            expectAll(picture.value != nil, encoded.value != nil)
            let memory = staged.manager.pipeline.caches.memory
            expectEqual(memory.contains(.picture(request.variantKey)), variant.contains(.memory))
            expectEqual(memory.contains(.file(request.fileKey(.webp()))), file.contains(.memory))
            for (key, tiers) in [
                (request.originalKey, original), (request.variantKey, variant), (request.fileKey(.webp()), file),
            ] {
                let isStored = Self.value(staged) { try await $0.diskCache?.contains(key) }
                expectEqual(isStored, tiers.contains(.disk), "\(key)")
            }
        }
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `a WebP thumbnail leaves its original alone behind, and a policy says what is stored`(seed: UInt64) throws {
        // A WebP thumbnail leaves no other file behind than its original.
        let staged = try StagedManager(seed: seed)
        let file = staged.dataInTurn(Self.small, as: .webp())
        expectEqual(file.value?.format, .webp)
        expectEqual([staged.fileCount, staged.coder.encodes], [2, 1])

        // What is stored of a variant is a policy.
        do {
            var configuration = ImageManager.Configuration()
            configuration.variantStorage = VariantStorage(maximumPixelCount: 16, format: .losslessWebP)
            let staged = try StagedManager(seed: 1, configuration: configuration)
            for side in [4, 5] {
                staged.loadInTurn(.numbered(1, transformers: [.resize(to: PixelSize(width: side, height: side))]))
            }
            expectEqual(staged.fileCount, 2, "the original, and the variant of 16 pixels")
            let entry = Self.value(staged) { try await $0.diskCache?.entry(for: Self.small.variantKey) } ?? nil
            expectEqual(entry.flatMap { ImageFormat(sniffing: $0.bytes) }, .webp)
        }
    }
}
