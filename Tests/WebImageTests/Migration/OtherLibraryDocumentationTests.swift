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
                var request = ImageRequest(url, transformers: [.resize(to: box)])  // .processor
                request.cachePolicy = .cacheFirst  // .forceRefresh is .reload, .onlyFromCache is .onlyIfCached
                request.cacheWrites.variant = .memory  // .cacheMemoryOnly; .cacheOriginalImage is cacheWrites.original
                request.waitsForStores = true  // .waitForCache
                request.priority = .high  // .downloadPriority
                request.firstFrameOnly = true  // .onlyLoadFirstFrame
                let result = try await manager.load(request)  // retrieveImage(with:options:)
                let image = (try? await manager.image(for: request)) ?? placeholder  // .onFailureImage
                let isCached = try await manager.contains(request)  // isCached(forKey:)
                try await manager.remove(request)  // removeImage(forKey:)
                #expect(result.source == .network)
                #expect(image.width == 200)
                #expect(isCached == .memory)
            }
        }
    }

    @Test func `retries and resumption are loaders`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            let web = ResumingLoader(HTTPClient(configuration: configuration.transport))  // isResumableDataEnabled
            let manager = ImageManager(configuration: configuration, transport: RetryingLoader(web))  // .retryStrategy
            let image = try await manager.image(from: url)
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
                var request = ImageRequest(url, transformers: [.resize(to: box)])  // processors
                request.cacheKey = "photo 1"  // imageID
                request.cachePolicy = .onlyIfCached  // .returnCacheDataDontLoad
                request.cacheReads = .memory  // .disableDiskCacheReads
                let isMissing = try? await manager.image(for: request)

                request.cachePolicy = .cacheFirst
                request.cacheReads = .all
                for try await event in manager.events(for: request) {  // events of ImageTask
                    if case .progress(let progress) = event { steps.append(progress.fraction) }
                }
                let image = manager.peek(request)  // pipeline.cache[request]
                let data = try await manager.encodedImage(for: ImageRequest(url)).bytes  // pipeline.data(for:)
                #expect(isMissing == nil)
                expect(steps.allSatisfy { ($0 ?? 0) <= 1 })
                #expect(image?.width == 200)
                #expect(data == (try Example.photo.get()))
            }
        }
    }
}
