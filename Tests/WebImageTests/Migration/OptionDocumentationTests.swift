// SPDX-License-Identifier: MIT
import Foundation
import HTTPLoaders
import HTTPTransport
import TestSupport
import Testing
import WebImage
import WebImageTesting

/// The options and the context of SDWebImage, in the examples of the documentation, word for word.
@Suite(.timeLimit(.minutes(1))) struct OptionDocumentationTests {
    @Test func `options of SDWebImage are properties of a request`() async throws {
        try await Example.withPhoto { configuration, url, origin in
            try await withImageManager(configuration) { manager in
                var request = ImageRequest(url)
                // HighPriority; LowPriority is .low
                request.priority = .high
                // RetryFailed
                request.retriesFailed = true
                // DecodeFirstFrameOnly; PreloadAllFrames is allFrames
                request.firstFrameOnly = true
                // TransformAnimatedImage
                request.transformsAnimations = true
                // WaitStoreCache
                request.waitsForStores = true
                let picture = try await manager.image(for: request)

                var fresh = ImageRequest(url)
                // FromLoaderOnly
                fresh.cachePolicy = .reload
                let newest = try await manager.load(fresh)

                // FromCacheOnly
                let cached = try await manager.cachedResponse(for: ImageRequest(url))
                // QueryDiskDataSync, as far as memory knows
                let shown = manager.peek(ImageRequest(url))
                // QueryMemoryData, AvoidDecodeImage
                let file = try await manager.encodedImage(for: ImageRequest(url))
                #expect(picture.width == 400)
                #expect(newest.source == .network)
                #expect(cached?.source == .memory)
                #expect(shown?.height == 300)
                #expect(file.bytes == (try Example.photo.get()))
                #expect(origin.requestCount(for: "/photo.jpg") >= 2, "a reload asks again")
            }
        }
    }

    @Test func `a refresh shows the cached picture, then the newest`() async throws {
        try await Example.withPhoto { configuration, url, _ in
            var (shown, fraction): ([DecodedImage], Double?) = ([], nil)
            try await withImageManager(configuration) { manager in
                _ = try await manager.image(from: url)

                var request = ImageRequest(url)
                request.cachePolicy = .refreshCached  // RefreshCached
                for try await event in manager.events(for: request) {
                    switch event {
                    case .cached(let response), .finished(let response):
                        shown.append(response.image)
                    case .progress(let progress): fraction = progress.fraction
                    case .preview: break  // ProgressiveLoad, if `request.previews` is set
                    }
                }
            }
            #expect(shown.count == 2)
            #expect(fraction.map { $0 <= 1 } != false)
        }
    }

    @Test func `the context of a load is in the parts of its request`() async throws {
        let photo = try Example.photo.get()
        let (originalFolder, variantFolder) = (try TemporaryFolder(), try TemporaryFolder())
        let (originals, variants) = (originalFolder.path, variantFolder.path)
        let url = URL(string: "pictures:/photo.jpg")!
        let signature = "0123"
        try await withImageManager(Example.reachable(.init())) { manager in
            let box = PixelSize(width: 320, height: 320)
            // imageThumbnailPixelSize
            var request = ImageRequest(url, transformers: [.resize(to: box)])
            // downloadRequestModifier
            request.modifier = RequestModifier(identity: "signed") { plain in
                var signed = plain
                signed.headers["X-Signature"] = signature
                return signed
            }
            let content = BytesLoader.Content(photo, type: "image/jpeg")
            let loader = BytesLoader([url: content])
            // imageLoader
            request.loader = Identified(identity: "bundle", loader)
            // imageCoder
            request.coders = Identified(identity: "built in", .default)
            let disk = SplitCache(
                originals: DiskCache(.init(folder: originals)),
                others: DiskCache(.init(folder: variants)))
            let caches = ImageCaches(disk: disk)
            // imageCache, originalImageCache
            request.caches = Identified(identity: "tenant 7", caches)
            // originalQueryCacheType, queryCacheType
            request.cacheReads = CacheAccess(original: .disk, variant: .all)
            // …StoreCacheType
            request.cacheWrites = CacheAccess(original: .disk, variant: .memory)
            // cacheKeyFilter
            request.cacheKey = url.path
            // imageDecodeOptions
            request.limits = ImageLimits(maximumPixelCount: 20_000_000)
            request.failOn = .never
            // ScaleDownLargeImages, imageScaleDownLimitBytes
            request.byteBudget = 64 << 20
            // imageScaleFactor
            request.scale = 2
            // AllowInvalidSSLCertificates
            request.transfer.tls = .insecure
            // urlCredential
            request.transfer.credential = .basic(user: "reader", password: "secret")
            let thumbnail = try await manager.image(for: request)
            await caches.shutdown(within: .seconds(5))

            // PreserveAspectRatio
            let stretched = ImageRequest(
                url, transformers: [.resize(to: box, mode: .stretch)])
            #expect(thumbnail.height == 240)
            #expect(thumbnail.scale == 2)
            #expect(stretched.variantKey != request.variantKey)
        }
        #expect(originalFolder.entryFiles.count == 1)
        expectEmpty(variantFolder.entryFiles)
    }

    @Test func `what the manager of SDWebImage decides is a hook`() async throws {
        let encrypted = try Example.photo.get().map { $0 ^ 0x55 }
        try await withOriginServer { origin in
            origin.respond(to: "/photo.jpg", with: .ok(encrypted, type: "text/plain"))
            let box = PixelSize(width: 100, height: 100)
            let key: UInt8 = 0x55

            var configuration = ImageManager.Configuration()
            // HandleCookies
            configuration.transport.cookieJar = HTTPCookieJar()
            // cacheKeyFilter
            configuration.hooks.cacheKey = { $0.path }
            // optionsProcessor, transformer
            configuration.hooks.requestProcessor = { request in
                var request = request
                if request.transformers.isEmpty {
                    request.transformers = [.resize(to: box)]
                }
                return request
            }
            configuration.hooks.responseModifier = ResponseModifier(
                identity: "typed"
            ) { response in
                var headers = response.headers
                headers["Content-Type"] = "image/jpeg"
                return TransportResponse(
                    status: response.status, headers: headers,
                    url: response.url, body: response.body)
            }
            // decryptor
            configuration.hooks.bodyTransformer = BodyTransformer(
                identity: "key 1"
            ) { body, _ in
                body.map { $0 ^ key }
            }
            configuration.hooks.cacheSerializer = CacheSerializer(
                identity: "webp"
            ) { original, _ in
                let image = try ImageCoders.default.decode(original.bytes)
                return try ImageCoders.default.encode(image, as: .losslessWebP)
            }
            configuration.hooks.shouldDownload = { request in
                !request.url.path.hasPrefix("/private/")
            }
            // shouldBlockFailedURL:withError:
            configuration.hooks.shouldRemember = { error in error.status == 404 }

            try await withImageManager(Example.reachable(configuration)) { manager in
                let response = try await manager.load(ImageRequest(origin.url("/photo.jpg")))
                #expect(response.image.width == 100)
                #expect(response.origin?.headers["Content-Type"] == "image/jpeg")
                await #expect(throws: ImageLoadError.self) {
                    _ = try await manager.image(from: origin.url("/private/photo.jpg"))
                }
            }
        }
    }

    @Test func `loaders of SDWebImage are a chain`() async throws {
        let url = URL(string: "photos:1")!
        let photo = try Example.photo.get()
        let configuration = Example.reachable(.init())
        // SDImageLoader
        let photos = ClosureLoader(schemes: ["photos"]) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([photo]))
        }
        let web = HTTPClient(configuration: configuration.transport)
        let manager = ImageManager(
            // SDImageLoadersManager
            configuration: configuration, transport: HTTPLoaderChain(photos, web))
        #expect(try await manager.image(from: url).width == 400)
        await expect(manager.shutdown(within: .seconds(5)).isClean)
    }
}
