// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import SDWebImageCache
@testable import WebImage

/// The names of transformed pictures, and the ages of entries.
extension SDWebImageCacheTests {
    @Test func `a transformed picture of SDWebImage answers a request, and one that is stored has its name`()
        async throws
    {
        let picture = try Pictures.png(5)
        let name = "https://images.example/1-SDImageFlippingTransformer(1,0).png"
        let request = ImageRequest(URL(string: key.rawValue)!, transformers: [.flip(.horizontal)])
        try folder.write(picture, to: path(CacheKey(name)))
        let manager = ImageManager(
            configuration: .unchanged, caches: ImageCaches(disk: makeCache()),
            transport: StubTransport(gate: nil, HTTPResponse.picture))
        let loaded = try await manager.load(request)
        expectEqual(loaded.source, .disk)
        expectEqual(ImageFactory.seed(of: loaded.image), 5, "it is not flipped again")
        try await manager.removeVariant(request)
        try await expectNil(makeCache().entry(for: CacheKey(name)))
        await manager.store(loaded.image, for: request)
        await manager.flush()
        _ = await manager.shutdown(within: .seconds(5))
        expectEqual(ImageFormat(sniffing: try folder.read(makeCache().path(for: request.variantKey))), .png)
        expectEqual(makeCache().path(for: request.variantKey), path(CacheKey(name)))
    }

    @Test func `an absolute age of an entry is obeyed, and an endless one is that of the folder`() async throws {
        let cache = makeCache()
        for (number, age) in [CacheAge.absolute(.seconds(60)), .never, .sliding(.seconds(60))].enumerated() {
            var entry = sampleEntry(number)
            entry.metadata.age = age
            _ = try await cache.store(entry, for: CacheKey("\(number)"))
        }
        var ending = sampleEntry(3)
        ending.metadata.keptUntil = time.now.wholeSeconds + 60
        _ = try await cache.store(ending, for: CacheKey("3"))
        time.advance(by: .seconds(60))
        try await expectNil(cache.entry(for: CacheKey("0")))
        try await expect(cache.entry(for: CacheKey("1")) != nil)
        try await expect(cache.entry(for: CacheKey("2")) != nil)
        try await expectNil(cache.entry(for: CacheKey("3")))
    }

    @Test func `of two keys with one name in the folder each finds what is stored for it alone`() async throws {
        let cache = makeCache()
        let (one, other) = (variant("https://images.example/a%2Fb.png"), variant("https://images.example/a/b.png"))
        expectEqual(path(one), path(other), "SDWebImage writes the path anew")
        _ = try await cache.store(sampleEntry(1), for: one)
        try await expectNil(cache.entry(for: other))
        try await expectNil(cache.renew(other, ifContentIs: nil) { $0.etag = "x" })
        try await expectEqual(cache.entry(for: one)?.bytes, sampleEntry(1).bytes)
        _ = try await cache.store(sampleEntry(2), for: other)
        try await expectNil(cache.entry(for: one))
        try await expectEqual(cache.entry(for: other)?.bytes, sampleEntry(2).bytes)
    }

    @Test func `of two keys with one name none finds the other's picture, at whichever step a store fails`()
        async throws
    {
        let plan = FaultPlan()
        let cache = makeCache(system: plan.system)
        let (one, other) = (variant("https://images.example/a%2Fb.png"), variant("https://images.example/a/b.png"))
        _ = try await cache.store(sampleEntry(1), for: one)
        let before = plan.count
        _ = try await cache.store(sampleEntry(2), for: other)
        for step in 1...(plan.count - before) {
            _ = try await cache.store(sampleEntry(1), for: one)
            let start = plan.count
            plan.set { number, _ in number >= start + step ? .failure(ENOSPC) : nil }
            _ = try await cache.store(sampleEntry(2), for: other)
            plan.clear()
            let found = [try await cache.entry(for: one)?.bytes, try await cache.entry(for: other)?.bytes]
            expect(found[0] == nil || found[0] == sampleEntry(1).bytes, "step \(step)")
            expect(found[1] == nil || found[1] == sampleEntry(2).bytes, "step \(step)")
        }
    }

    @Test func `of two keys with one name that are stored at once none finds the other's picture`() async throws {
        let plan = FaultPlan()
        let cache = makeCache(system: plan.system)
        let files = FlatFiles(folder: folder.path, readOnlyFolders: [])
        let (one, other) = (variant("https://images.example/a%2Fb.png"), variant("https://images.example/a/b.png"))
        // The other store is made whole at each step of the first.
        let before = plan.count
        _ = try await cache.store(sampleEntry(1), for: one)
        for step in 1...(plan.count - before) {
            try folder.empty()
            let start = plan.count
            plan.set { number, _ in
                if number == start + step { try? files.write(sampleEntry(2), for: other) }
                return nil
            }
            _ = try await cache.store(sampleEntry(1), for: one)
            plan.clear()
            let found = [try await cache.entry(for: one)?.bytes, try await cache.entry(for: other)?.bytes]
            expect(found[0] == nil || found[0] == sampleEntry(1).bytes, "step \(step)")
            expect(found[1] == nil || found[1] == sampleEntry(2).bytes, "step \(step)")
        }
    }

    @Test func `a look-up by the key of another entry is no use of that entry`() async throws {
        let cache = makeCache()
        let (one, other) = (variant("https://images.example/a%2Fb.png"), variant("https://images.example/a/b.png"))
        _ = try await cache.store(sampleEntry(1), for: one)
        time.advance(by: .seconds(500_000))
        try await expectNil(cache.entry(for: other))
        time.advance(by: .seconds(500_000))
        try await expectEqual(cache.removeExpired(), 1)
    }

    private func variant(_ url: String) -> CacheKey {
        ImageRequest(URL(string: url)!, transformers: [.flip(.horizontal)]).variantKey
    }
}
