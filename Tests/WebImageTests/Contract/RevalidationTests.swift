// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// What a 304 and a changed original do to the caches.
@Suite(.balanced, .timeLimit(.minutes(1))) struct RevalidationTests {
    private static let small: any ImageTransforming = .resize(to: PixelSize(width: 4, height: 4))

    /// An origin whose picture changes when the test says so, and that confirms it otherwise.
    private static func staged(
        _ seed: UInt64, _ version: Journal<Int>, hasDisk: Bool = true
    ) throws -> StagedManager {
        try StagedManager(seed: seed, hasDisk: hasDisk) { request in
            let version = version.count
            var fields: HTTPHeaders = ["ETag": "\"\(version)\"", "Cache-Control": "max-age=\(version)"]
            if request.headers["If-None-Match"] == "\"\(version)\"" {
                fields["Cache-Control"] = "max-age=\(version + 60)"
                return HTTPResponse(status: 304, headers: fields, url: request.url)
            }
            return HTTPResponse(
                status: 200, headers: fields, url: request.url, body: HTTPBody([try Pictures.png(version)]))
        }
    }

    private static func request(_ policy: CachePolicy, small: Bool = false) -> ImageRequest {
        var request = ImageRequest.numbered(1, transformers: small ? [Self.small] : [])
        request.cachePolicy = policy
        return request
    }

    private static func picture(_ staged: StagedManager, _ request: ImageRequest) -> ImageResponse? {
        let caller = staged.loadInTurn(request)
        return caller.value
    }

    private static func file(_ staged: StagedManager, _ request: ImageRequest, _ format: OutputFormat) -> EncodedImage?
    {
        let caller = staged.dataInTurn(request, as: format)
        return caller.value
    }

    @Test(arguments: [false, true], 0..<25 as Range<UInt64>)
    func `what is confirmed is served, and neither made nor encoded again`(fromDisk: Bool, seed: UInt64) throws {
        // A confirmed variant is served and not made again.
        let staged = try Self.staged(seed, Journal())
        _ = Self.picture(staged, Self.request(.cacheFirst, small: true))
        let decodes = staged.coder.decodes
        if fromDisk { staged.emptyMemory() }
        let again = Self.picture(staged, Self.request(.revalidate, small: true))
        expectEqual(again?.image.width, 4)
        expectEqual(again?.source, (fromDisk ? .disk : .memory))
        // The variant itself is a small file, which is decoded when memory has lost it.
        expectEqual(staged.coder.decodes, decodes + (fromDisk ? 1 : 0))
        expectEqual(staged.transport.requests.count, 2)
        expectEqual(staged.transport.requests.last?.headers["If-None-Match"], "\"0\"")

        // A confirmed file is served and not encoded again.
        do {
            let staged = try Self.staged(seed, Journal())
            let first = Self.file(staged, Self.request(.cacheFirst, small: true), .webp())
            let work = [staged.coder.decodes, staged.coder.encodes]
            if fromDisk { staged.emptyMemory() }
            let again = Self.file(staged, Self.request(.revalidate, small: true), .webp())
            expectEqual(again?.bytes, first?.bytes)
            expectEqual([staged.coder.decodes, staged.coder.encodes], work)
            expectEqual(staged.transport.requests.count, 2)
        }
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `what a request may not read in memory is not validated for it`(seed: UInt64) throws {
        let staged = try Self.staged(seed, Journal(), hasDisk: false)
        _ = Self.file(staged, Self.request(.cacheFirst), .original)
        _ = Self.picture(staged, Self.request(.cacheFirst, small: true))
        var (file, picture) = (Self.request(.refreshCached), Self.request(.refreshCached, small: true))
        file.cacheReads = CacheAccess(.disk)
        picture.cacheReads = CacheAccess(.disk)
        let before = staged.transport.requests.count
        expectEqual(Self.file(staged, file, .original)?.source, .network)
        expectEqual(Self.picture(staged, picture)?.source, .network)
        expectEqual(staged.transport.requests.dropFirst(before).map { $0.headers["If-None-Match"] }, [nil, nil])
    }

    @Test(arguments: [CachePolicy.revalidate, .refreshCached], 0..<25 as Range<UInt64>)
    func `without a disk the picture in memory is confirmed`(policy: CachePolicy, seed: UInt64) throws {
        let staged = try Self.staged(seed, Journal(), hasDisk: false)
        _ = Self.picture(staged, Self.request(.cacheFirst, small: true))
        // Memory may have evicted the file: then only the picture can be confirmed.
        if seed.isMultiple(of: 2) {
            let file = MemoryKey.file(Self.request(policy).originalKey)
            expect(staged.manager.pipeline.caches.memory.remove(file) != nil)
        }
        let again = Self.picture(staged, Self.request(policy, small: true))
        expectEqual(again?.image.width, 4)
        expectEqual(staged.transport.requests.last?.headers["If-None-Match"], "\"0\"")
        expectEqual(staged.coder.decodes, 1)
    }

    @Test(arguments: [false, true], 0..<25 as Range<UInt64>)
    func `when an original changes, its variants and files go from memory and disk`(
        emptiesMemory: Bool, seed: UInt64
    ) throws {
        let version = Journal<Int>()
        let staged = try Self.staged(seed, version)
        let old = Self.picture(staged, Self.request(.cacheFirst, small: true))
        let oldFile = Self.file(staged, Self.request(.cacheFirst, small: true), .png)
        // The same content leaves them, though another transfer has brought it.
        _ = Self.picture(staged, Self.request(.reload))
        expect(staged.manager.peek(Self.request(.cacheFirst, small: true)) != nil)
        version.write(1)
        let whole = Self.picture(staged, Self.request(.reload))
        expectEqual(whole.flatMap { ImageFactory.seed(of: $0.image) }, 1)
        if emptiesMemory { staged.emptyMemory() }
        let new = Self.picture(staged, Self.request(.cacheFirst, small: true))
        let newFile = Self.file(staged, Self.request(.cacheFirst, small: true), .png)
        expect(new?.image.frames[0].pixels != old?.image.frames[0].pixels)
        expect(newFile?.bytes != oldFile?.bytes)
        expectEqual(staged.transport.requests.count, 3, "they are made from the original that is there")
    }

    @Test(arguments: 0..<25 as Range<UInt64>) func `a 304 renews the entry on disk`(seed: UInt64) throws {
        let version = Journal<Int>()
        let staged = try Self.staged(seed, version)
        _ = Self.picture(staged, Self.request(.cacheFirst))
        let key = Self.request(.cacheFirst).originalKey
        let stored = staged.start { try await $0.diskCache?.metadata(for: key) }
        staged.run()
        staged.time.advance(by: .seconds(6 * 86_400))
        _ = Self.picture(staged, Self.request(.revalidate))
        let renewed = staged.start { try await $0.diskCache?.metadata(for: key) }
        staged.run()
        let (before, after) = try (required(stored.value ?? nil), required(renewed.value ?? nil))
        expectEqual(after.storedAt, before.storedAt + 6 * 86_400)
        expectEqual(after.format, "png")
        expectEqual(
            after.origin?.headers["Cache-Control"], "max-age=60", "the fields of the 304 replace the stored ones")
        staged.emptyMemory()
        staged.time.advance(by: .seconds(2 * 86_400))
        expectEqual(Self.picture(staged, Self.request(.cacheFirst))?.source, .disk, "day 8 after the first store")

        // A load that waits for stores returns when the entry is renewed, which is looked at in the same step.
        let shelf = CachingDocumentationTests.Shelf()
        let own = ImageCaches(memory: MemoryLimits(), disk: shelf, executor: staged.executor)
        var request = Self.request(.revalidate)
        (request.caches, request.waitsForStores) = (Identified(identity: "shelf", own), true)
        for seconds in [0, 60] {
            let control = staged.start { [request] manager in
                _ = try await manager.load(request)
                return await shelf.entries[key]?.metadata.origin?.headers["Cache-Control"]
            }
            staged.run()
            expectEqual(control.value, "max-age=\(seconds)")
        }
    }

    @Test(arguments: 0..<25 as Range<UInt64>)
    func `a stored file that does not decode is replaced although it is confirmed`(seed: UInt64) throws {
        let staged = try Self.staged(seed, Journal())
        var metadata = EntryMetadata(url: ImageRequest.numbered(1).url.absoluteString, httpStatus: 200, etag: "\"0\"")
        metadata.contentType = "image/png"
        let bad = DiskEntry(metadata: metadata, bytes: [1, 2, 3, 4])
        _ = staged.start { try await $0.diskCache?.store(bad, for: ImageRequest.numbered(1).originalKey) }
        staged.run()
        let picture = Self.picture(staged, Self.request(.revalidate))
        expectEqual(picture.flatMap { ImageFactory.seed(of: $0.image) }, 0)
        expectEqual(staged.transport.requests.map { $0.headers["If-None-Match"] }, ["\"0\"", nil])
    }
}
