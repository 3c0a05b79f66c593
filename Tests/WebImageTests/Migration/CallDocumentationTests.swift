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
                let response = try await manager.load(request)  // loadImageWithURL:options:context:progress:completed:
                let key = request.variantKey  // cacheKeyForURL:context:
                let load = Task { try await manager.image(for: request) }
                load.cancel()  // cancel of SDWebImageCombinedOperation
                manager.raise(request, to: .veryHigh)
                let isRunning = await !manager.occupancy.isIdle  // isRunning
                manager.cancelAll()  // cancelAll
                manager.forgetFailure(of: request)  // removeFailedURL:
                manager.forgetFailures()  // removeAllFailedURLs
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

            await manager.store(image, for: request)  // storeImage:forKey:
            try await manager.store(file, for: request)  // storeImageData:forKey:
            await manager.flush()  // the completion of a store
            let tiers = try await manager.contains(request)  // containsImageForKey:, diskImageExistsWithKey:
            let cached = try await manager.cachedResponse(for: request)  // queryImageForKey:, imageFromCacheForKey:
            let shown = manager.peek(request)  // imageFromMemoryCacheForKey:
            if let disk = manager.diskCache {
                let entry = try await disk.entry(for: request.originalKey)  // diskImageDataForKey:
                let (size, count) = await (disk.totalBytes, disk.entryCount)  // totalDiskSize, totalDiskCount
                let expired = try await disk.removeExpired()  // deleteOldFilesWithCompletionBlock:
                #expect(entry?.bytes == file)
                #expect(size > file.count)
                #expect(count >= 1)
                #expect(expired == 0)
            }
            await manager.trimMemory(toCost: 50_000_000)
            try await manager.remove(request, from: .memory)  // removeImageFromMemoryForKey:
            try await manager.remove(request)  // removeImageForKey:
            try await manager.clear(.memory)  // clearMemory
            try await manager.clear(.disk)  // clearDiskOnCompletion:
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
            configuration.memory = MemoryLimits(maximumCost: 100_000_000, maximumCount: 1_000)  // maxMemoryCost, -Count
            configuration.disk = .init(namespace: "avatars")  // initWithNamespace:
            configuration.disk?.maximumAge = .seconds(7 * 86_400)  // maxDiskAge
            configuration.disk?.maximumByteCount = 500_000_000  // maxDiskSize
            configuration.disk?.expiry = .sinceStore  // diskCacheExpireType

            let (path, oldPath, bundledPath) = (folder.path, oldFolder.path, bundled.path)
            let old = SDWebImageCache(
                .init(folder: oldPath, readOnlyFolders: [bundledPath]))  // additionalCachePathBlock
            var policies = CacheStack.Policies()
            policies.store = .firstOnly  // storeOperationPolicy
            let stack = CacheStack([DiskCache(.init(folder: path)), old], policies: policies)  // SDImageCachesManager
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
            configuration.downloader.maximumConcurrentDownloads = 4  // maxConcurrentDownloads
            configuration.downloader.order = .lifo  // executionOrder; needs import TaskCoordination
            configuration.downloader.minimumProgressInterval = 0.1  // minimumProgressInterval
            configuration.downloader.acceptableStatusCodes = 200..<300  // acceptableStatusCodes
            configuration.downloader.acceptableContentTypes = ["image/jpeg", "image/png"]  // acceptableContentTypes
            configuration.transport.idleTimeout = .seconds(15)  // downloadTimeout

            try await withImageManager(configuration) { manager in
                let request = ImageRequest(url)
                let downloader = manager.downloader
                await downloader.setHeader("gallery/1.0", for: "User-Agent")  // setValue:forHTTPHeaderField:
                let agent = downloader.headers["User-Agent"]  // valueForHTTPHeaderField:
                await downloader.setMaximumConcurrentDownloads(2)
                await downloader.suspend()  // suspended = YES
                let count = downloader.count  // currentDownloadCount
                await downloader.resume()  // suspended = NO
                let download = try await downloader.download(request) { progress in  // downloadImageWithURL:
                    _ = progress.receivedByteCount
                }
                let metrics = download.origin.metrics  // metrics of SDWebImageDownloadToken
                downloader.cancelAll()  // cancelAllDownloads
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
                settings.maximumConcurrentLoads = 3  // maxConcurrentPrefetchCount
                let prefetcher = ImagePrefetcher(manager: manager, configuration: settings)  // initWithImageManager:
                let token = await prefetcher.start(urls)  // prefetchURLs:
                for await progress in token.updates { counts.append(progress.endedCount) }  // progress:
                let report = try await token.waitUntilOver()  // completed:
                await prefetcher.stop(token)  // cancel of SDWebImagePrefetchToken
                await prefetcher.stopAll()  // cancelPrefetching
                #expect(report.progress.finishedCount == 1)
                expectEmpty(report.failures)
            }
            #expect(counts.last == 1)
        }
    }
}
