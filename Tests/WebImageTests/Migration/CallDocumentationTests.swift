// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import SDWebImageCache
import TaskCoordination
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The calls of SDWebImage, in the examples of the documentation, word for word.
@Suite(.timeLimit(.minutes(1))) struct CallDocumentationTests {
    @Test func `the calls of SDWebImageManager`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            try await withImageManager(configuration) { manager in
                let request = ImageRequest(url)
                // loadImageWithURL:options:context:progress:completed:
                let response = try await manager.load(request)
                // cacheKeyForURL:context:
                let key = request.variantKey
                let load = Task { try await manager.image(for: request) }
                // cancel of SDWebImageCombinedOperation
                load.cancel()
                manager.raise(request, to: .veryHigh)
                // isRunning
                let isRunning = await !manager.occupancy.isIdle
                // cancelAll
                manager.cancelAll()
                // removeFailedURL:
                manager.forgetFailure(of: request)
                // removeAllFailedURLs
                manager.forgetFailures()
                _ = isRunning
                _ = await load.result
                #expect(response.source == .network)
                #expect(key == request.originalKey)
            }
        }
    }

    @Test func `the calls of SDImageCache`() async throws {
        let folder = try TemporaryFolder()
        let file = try Example.photo.get()
        let image = ImageFactory.picture(width: 100, height: 75, seed: 2)
        var configuration = Example.reachable(.init())
        configuration.disk = .init(folder: folder.path)
        try await withImageManager(configuration) { manager in
            let url = URL(string: "https://example.org/photo.jpg")!
            let box = PixelSize(width: 100, height: 100)
            let request = ImageRequest(url, transformers: [.resize(to: box)])

            // storeImage:forKey:
            await manager.store(image, for: request)
            // storeImageData:forKey:
            try await manager.store(file, for: request)
            // the completion of a store
            await manager.flush()
            // containsImageForKey:, diskImageExistsWithKey:
            let tiers = try await manager.contains(request)
            // queryImageForKey:, imageFromCacheForKey:
            let cached = try await manager.cachedResponse(for: request)
            // imageFromMemoryCacheForKey:
            let shown = manager.peek(request)
            if let disk = manager.diskCache {
                // diskImageDataForKey:
                let entry = try await disk.entry(for: request.originalKey)
                // totalDiskSize, totalDiskCount
                let (size, count) = await (disk.totalBytes, disk.entryCount)
                // deleteOldFilesWithCompletionBlock:
                let expired = try await disk.removeExpired()
                #expect(entry?.bytes == file)
                #expect(size > file.count)
                #expect(count >= 1)
                #expect(expired == 0)
            }
            await manager.trimMemory(toCost: 50_000_000)
            // removeImageFromMemoryForKey:
            try await manager.remove(request, from: .memory)
            // removeImageForKey:
            try await manager.remove(request)
            // clearMemory
            try await manager.clear(.memory)
            // clearDiskOnCompletion:
            try await manager.clear(.disk)
            #expect(tiers.contains(.disk))
            #expect(cached?.image.width == 100)
            #expect(shown?.height == 75)
            expectEmpty(folder.entryFiles)
        }
    }

    @Test func `the configuration and the folders of SDImageCache`() async throws {
        let (folder, oldFolder, bundled) = (try TemporaryFolder(), try TemporaryFolder(), try TemporaryFolder())
        try await Example.withPhoto { configuration, url, origin in
            var configuration = configuration
            // maxMemoryCost, -Count
            configuration.memory = MemoryLimits(
                maximumCost: 100_000_000, maximumCount: 1_000)
            // initWithNamespace:
            configuration.disk = .init(namespace: "avatars")
            // maxDiskAge
            configuration.disk?.maximumAge = .seconds(7 * 86_400)
            // maxDiskSize
            configuration.disk?.maximumByteCount = 500_000_000
            // diskCacheExpireType
            configuration.disk?.expiry = .sinceStore

            let (path, oldPath, bundledPath) = (folder.path, oldFolder.path, bundled.path)
            let old = SDWebImageCache(
                // additionalCachePathBlock
                .init(folder: oldPath, readOnlyFolders: [bundledPath]))
            var policies = CacheStack.Policies()
            // storeOperationPolicy
            policies.store = .firstOnly
            // SDImageCachesManager
            let stack = CacheStack(
                [DiskCache(.init(folder: path)), old], policies: policies)
            let caches = ImageCaches(disk: stack)
            let manager = ImageManager(
                configuration: configuration, caches: caches,
                transport: HTTPClient(configuration: configuration.transport))
            let response = try await manager.load(ImageRequest(url))
            await expect(manager.shutdown(within: .seconds(5)).isClean)
            await caches.shutdown(within: .seconds(5))
            #expect(response.source == .network)
            #expect(folder.entryFiles.count == 1)
            #expect(origin.requestCount(for: "/photo.jpg") == 1)
        }
    }

    @Test func `the calls of SDWebImageDownloader`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            var configuration = configuration
            // maxConcurrentDownloads
            configuration.downloader.maximumConcurrentDownloads = 4
            // executionOrder; needs import TaskCoordination
            configuration.downloader.order = .lifo
            // minimumProgressInterval
            configuration.downloader.minimumProgressInterval = 0.1
            // acceptableStatusCodes
            configuration.downloader.acceptableStatusCodes = 200..<300
            // acceptableContentTypes
            configuration.downloader.acceptableContentTypes = [
                "image/jpeg", "image/png",
            ]
            // downloadTimeout
            configuration.transport.idleTimeout = .seconds(15)

            try await withImageManager(configuration) { manager in
                let request = ImageRequest(url)
                let downloader = manager.downloader
                // setValue:forHTTPHeaderField:
                await downloader.setHeader("gallery/1.0", for: "User-Agent")
                // valueForHTTPHeaderField:
                let agent = downloader.headers["User-Agent"]
                await downloader.setMaximumConcurrentDownloads(2)
                // suspended = YES
                await downloader.suspend()
                // currentDownloadCount
                let count = downloader.count
                // suspended = NO
                await downloader.resume()
                // downloadImageWithURL:
                let download = try await downloader.download(request) { progress in
                    _ = progress.receivedByteCount
                }
                // metrics of SDWebImageDownloadToken
                let metrics = download.origin.metrics
                // cancelAllDownloads
                downloader.cancelAll()
                #expect(agent == "gallery/1.0")
                #expect(count == 0)
                #expect(download.bytes == (try Example.photo.get()))
                #expect(metrics.map { $0.bytesReceived > 0 } == true)
            }
        }
    }

    @Test func `the calls of SDWebImagePrefetcher`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            var counts: [Int] = []
            try await withImageManager(configuration) { manager in
                let urls = [url]
                var settings = ImagePrefetcher.Configuration()
                // maxConcurrentPrefetchCount
                settings.maximumConcurrentLoads = 3
                // initWithImageManager:
                let prefetcher = ImagePrefetcher(manager: manager, configuration: settings)
                // prefetchURLs:
                let token = await prefetcher.start(urls)
                // progress:
                for await progress in token.updates { counts.append(progress.endedCount) }
                // completed:
                let report = try await token.waitUntilOver()
                // cancel of SDWebImagePrefetchToken
                await prefetcher.stop(token)
                // cancelPrefetching
                await prefetcher.stopAll()
                #expect(report.progress.finishedCount == 1)
                expectEmpty(report.failures)
            }
            #expect(counts.last == 1)
        }
    }
}
