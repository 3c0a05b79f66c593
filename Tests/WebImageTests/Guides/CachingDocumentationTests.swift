// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples of the guide "Caching", word for word.
@Suite(.timeLimit(.minutes(1))) struct CachingDocumentationTests {
    @Test func `sizes, ages and folders`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try await Example.withPhoto { configuration, url, _ in
            var configuration = configuration
            configuration.memory = MemoryLimits(maximumCost: 200_000_000)
            configuration.disk = DiskCache.Configuration(
                folder: path, maximumByteCount: 10_000_000_000,
                maximumAge: .seconds(30 * 86_400), expiry: .sinceUse)
            configuration.variantStorage = VariantStorage(maximumPixelCount: 500_000)

            _ = try await withImageManager(configuration) { try await $0.image(from: url) }
            #expect(folder.entryFiles.count == 1)
        }
    }

    @Test func `names without signatures`() async throws {
        try await Example.withPhoto { configuration, url, origin in
            var configuration = configuration
            configuration.hooks.cacheKey = { url in
                var parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
                parts?.queryItems?.removeAll { $0.name == "signature" }
                return parts?.string
            }
            try await withImageManager(configuration) { manager in
                for signature in 1...3 {
                    let signed = url.appending(queryItems: [.init(name: "signature", value: "\(signature)")])
                    _ = try await manager.image(from: signed)
                }
            }
            #expect(origin.requestCount == 1)
        }
    }

    @Test func `a stale picture is confirmed`() async throws {
        try await Example.withPhoto { configuration, _, origin in
            let file = try Example.photo.get()
            origin.respond(to: "/tagged.jpg") { request in
                request.headers["If-None-Match"] == nil
                    ? .ok(file, type: "image/jpeg").header("ETag", "\"1\"").header("Cache-Control", "max-age=0")
                    : .status(304).header("ETag", "\"1\"")
            }
            let url = origin.url("/tagged.jpg")
            let folder = try TemporaryFolder()
            var configuration = configuration
            configuration.disk = DiskCache.Configuration(folder: folder.path)
            let image = try await withImageManager(configuration) { manager in
                _ = try await manager.image(from: url)

                var request = ImageRequest(url)
                let cached = try await manager.cachedResponse(for: request)
                if let end = cached?.origin?.expiresAt, end < Date.now {
                    request.cachePolicy = .revalidate
                }
                return try await manager.image(for: request)
            }
            #expect(image.width == 400)
            #expect(origin.requestCount(for: "/tagged.jpg") == 2)
        }
    }

    @Test func `one load without the disk`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            let folder = try TemporaryFolder()
            var configuration = configuration
            configuration.disk = DiskCache.Configuration(folder: folder.path)
            let source = try await withImageManager(configuration) { manager in
                var request = ImageRequest(url)
                request.cacheWrites = .memory
                _ = try await manager.load(request)
                return try await manager.load(request).source
            }
            #expect(source == .memory)
            expectEmpty(folder.entryFiles)
        }
    }

    @Test func `looking, putting and removing`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            let (image, folder) = (ImageFactory.picture(width: 8, height: 8, seed: 1), try TemporaryFolder())
            var configuration = configuration
            configuration.disk = DiskCache.Configuration(folder: folder.path)
            let tiers = try await withImageManager(configuration) { manager in
                let request = ImageRequest(url)
                await manager.store(image, for: request)
                let tiers = try await manager.contains(request)
                try await manager.remove(request)
                await manager.flush()
                return [tiers, try await manager.contains(request)]
            }
            #expect(tiers == [.all, []])
        }
    }

    /// A store for one process, in the place of the disk.
    actor Shelf: CacheStoring {
        private(set) var entries: [CacheKey: DiskEntry] = [:]

        func entry(for key: CacheKey) -> DiskEntry? { entries[key] }

        func store(_ entry: DiskEntry, for key: CacheKey) -> StoreOutcome {
            var entry = entry
            entry.metadata.generation = ContentGeneration(of: entry.bytes)
            entry.metadata.storedAt = Int64(Date.now.timeIntervalSince1970)
            entries[key] = entry
            return .stored
        }

        func renew(
            _ key: CacheKey, ifContentIs generation: ContentGeneration?,
            _ change: @escaping @Sendable (inout EntryMetadata) -> Void
        ) -> StoreOutcome? {
            guard var entry = entries[key],
                generation == nil || generation == entry.metadata.generation
            else {
                return nil
            }
            change(&entry.metadata)
            return store(entry, for: key)
        }

        func remove(_ key: CacheKey) { entries[key] = nil }
        func removeAll() { entries = [:] }
        func shutdown(within limit: Duration) -> CacheShutdownReport {
            CacheShutdownReport(completedOperations: 0, abandonedOperations: 0)
        }
    }

    @Test func `a store of a program's own`() async throws {
        try await Example.withPhoto { configuration, url, origin in
            let folder = try TemporaryFolder()
            let disk = DiskCache(.init(folder: folder.path))
            for _ in 1...2 {
                let caches = ImageCaches(disk: CacheStack([disk, Shelf()]))
                let manager = ImageManager(
                    configuration: configuration, caches: caches,
                    transport: HTTPClient(configuration: configuration.transport))
                _ = try await manager.image(from: url)
                await manager.flush()
                _ = await manager.shutdown(within: .seconds(10))
            }
            _ = await disk.shutdown(within: .seconds(10))
            #expect(origin.requestCount(for: "/photo.jpg") == 1)
        }
    }
}
