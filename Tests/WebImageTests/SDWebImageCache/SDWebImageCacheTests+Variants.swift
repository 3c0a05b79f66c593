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

    private func variant(_ url: String) -> CacheKey {
        ImageRequest(URL(string: url)!, transformers: [.flip(.horizontal)]).variantKey
    }
}
