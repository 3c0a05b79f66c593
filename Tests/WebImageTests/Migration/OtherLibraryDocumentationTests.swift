// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import HTTPTransport
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The examples for programs that come from Kingfisher and Nuke, word for word.
@Suite(.timeLimit(.minutes(1))) struct OtherLibraryDocumentationTests {
    @Test func `the calls of Kingfisher`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            let placeholder = ImageFactory.picture(width: 4, height: 4, seed: 3)
            try await withImageManager(configuration) { manager in
                let box = PixelSize(width: 200, height: 200)
                // .processor
                var request = ImageRequest(url, transformers: [.resize(to: box)])
                // .forceRefresh is .reload, .onlyFromCache is .onlyIfCached
                request.cachePolicy = .cacheFirst
                // .cacheMemoryOnly; .cacheOriginalImage is cacheWrites.original
                request.cacheWrites.variant = .memory
                // .waitForCache
                request.waitsForStores = true
                // .downloadPriority
                request.priority = .high
                // .onlyLoadFirstFrame
                request.firstFrameOnly = true
                // retrieveImage(with:options:)
                let result = try await manager.load(request)
                // .onFailureImage
                let image = (try? await manager.image(for: request)) ?? placeholder
                // isCached(forKey:)
                let isCached = try await manager.contains(request)
                // removeImage(forKey:)
                try await manager.remove(request)
                #expect(result.source == .network)
                #expect(image.width == 200)
                #expect(isCached == .memory)
            }
        }
    }

    @Test func `retries, resumption and alternatives are settings`() async throws {
        try await Example.withPhoto { configuration, url, origin in
            let mirror = url
            let url = origin.url("/missing.jpg")
            var configuration = configuration
            // isResumableDataEnabled, isRateLimiterEnabled
            var rules = TransferRules()
            rules.rateOfHost = HTTPRateLimit(80, per: .seconds(1), burst: 25)
            configuration.transferRules = rules
            let manager = ImageManager(configuration: configuration)
            // .retryStrategy
            var request = ImageRequest(url)
            request.retry = .upTo(3, after: .seconds(1))
            // .alternativeSources
            request.alternatives = [ImageRequest(mirror)]
            let image = try await manager.image(for: request)
            let end = await manager.shutdown(within: .seconds(5))
            #expect(image.width == 400)
            expect(end.isClean)
        }
    }

    @Test func `the calls of Nuke`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            var steps: [Double?] = []
            try await withImageManager(configuration) { manager in
                let box = PixelSize(width: 200, height: 200)
                // processors
                var request = ImageRequest(url, transformers: [.resize(to: box)])
                // imageID
                request.cacheKey = "photo 1"
                // .returnCacheDataDontLoad
                request.cachePolicy = .onlyIfCached
                // .disableDiskCacheReads
                request.cacheReads = .memory
                let isMissing = try? await manager.image(for: request)

                request.cachePolicy = .cacheFirst
                request.cacheReads = .all
                // events of ImageTask
                for try await event in manager.events(for: request) {
                    if case .progress(let progress) = event {
                        steps.append(progress.fraction)
                    }
                }
                // pipeline.cache[request]
                let image = manager.peek(request)
                // pipeline.data(for:)
                let data = try await manager.encodedImage(for: ImageRequest(url)).bytes
                #expect(isMissing == nil)
                expect(steps.allSatisfy { ($0 ?? 0) <= 1 })
                #expect(image?.width == 200)
                #expect(data == (try Example.photo.get()))
            }
        }
    }
}
