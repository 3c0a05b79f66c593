import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination

/// The stages of one journey. Each runs off the actor; pixels are touched only on the processing pool.
extension ImageManager {
    /// The file and what it shows, from disk or from the origin.
    nonisolated func decodedOriginal(
        _ request: ImageRequest, _ metrics: inout LoadMetrics, _ report: @escaping Report
    ) async throws -> DecodedOriginal {
        let stored = try await storedOriginal(request, &metrics)
        if let stored, request.cachePolicy.readsCachesFirst {
            do {
                return try await decode(stored, request, &metrics)
            } catch let error as ImageLoadError where error.code == .undecodable {
                // No word about the origin, which is asked instead.
                _ = try await diskCache?.remove(request.originalKey)
            }
        }
        let validated = request.cachePolicy.sendsValidators ? stored : nil
        let original = try await fetch(request, validating: validated, &metrics, report)
        return try await decode(original, request, &metrics)
    }

    private nonisolated func fetch(
        _ request: ImageRequest, validating stored: Original?, _ metrics: inout LoadMetrics, _ report: @escaping Report
    ) async throws -> Original {
        guard request.cachePolicy != .onlyIfCached else {
            throw ImageLoadError(
                .notInCache, message: "The picture is not cached; allow the request to ask the origin.",
                url: request.url)
        }
        let clock = ContinuousClock()
        let start = clock.now
        let download = try await downloader.download(
            request, validators: stored?.validators ?? [:], priority: nil, report: report)
        metrics.download = clock.now - start
        if download.isNotModified, var stored {
            stored.number = download.number
            return stored
        }
        return Original(download, for: request.url)
    }

    private nonisolated func storedOriginal(
        _ request: ImageRequest, _ metrics: inout LoadMetrics
    ) async throws -> Original? {
        guard request.cachePolicy != .reload,
            let entry = try await diskEntry(for: request.originalKey, request, &metrics)
        else { return nil }
        return Original(entry)
    }

    /// What an earlier load stored for this very variant.
    nonisolated func storedVariant(
        _ request: ImageRequest, _ key: LoadKey, _ metrics: inout LoadMetrics
    ) async throws -> ImageResponse? {
        guard request.cachePolicy.readsCachesFirst,
            let entry = try await diskEntry(for: key.variant, request, &metrics),
            let format = ImageFormat.all.first(where: { $0.name == entry.metadata.format })
        else { return nil }
        let coders = configuration.coders
        let options = DecodeOptions(limits: configuration.limits)
        do {
            let image = try await processing.run { try coders.decode(entry.bytes, options: options) }
            return ImageResponse(image: image, format: format, source: .disk, original: nil, metrics: metrics)
        } catch is ImageError {
            // As good as none: it is made again from the original. Overload and cancellation are no misses.
            return nil
        }
    }

    nonisolated func diskEntry(
        for key: CacheKey, _ request: ImageRequest, _ metrics: inout LoadMetrics
    ) async throws -> DiskEntry? {
        guard let diskCache, request.cacheReads.contains(.disk), request.allowsDisk else { return nil }
        await writes?.settle(key)
        let clock = ContinuousClock()
        let start = clock.now
        defer { metrics.diskRead = (metrics.diskRead ?? .zero) + (clock.now - start) }
        guard let entry = try await diskCache.entry(for: key) else { return nil }
        hub.count { $0.diskHits += 1 }
        hub.tell(request.url, .cacheHit(.disk))
        return entry
    }

    nonisolated func decode(
        _ original: Original, _ request: ImageRequest, _ metrics: inout LoadMetrics
    ) async throws -> DecodedOriginal {
        let clock = ContinuousClock()
        let start = clock.now
        defer { metrics.decode = clock.now - start }
        do {
            if let properties = tinyProperties(original.bytes) { return try decoded(original, properties, request) }
            return try await processing.run {
                try self.decoded(original, self.configuration.coders.properties(of: original.bytes), request)
            }
        } catch let error as ImageError {
            throw ImageLoadError(
                .undecodable, message: Self.explain(error, original), url: request.url, cause: error)
        }
    }

    /// Blocks.
    private nonisolated func decoded(
        _ original: Original, _ properties: ImageProperties, _ request: ImageRequest
    ) throws -> DecodedOriginal {
        let options = DecodeOptions(
            limits: configuration.limits, firstFrameOnly: request.firstFrameOnly, thumbnail: request.thumbnail)
        let image = try configuration.coders.decode(original.bytes, options: options)
        var properties = properties
        // Only the whole file tells how many frames some formats hold.
        if properties.frameCount == nil, !options.firstFrameOnly { properties.frameCount = image.frames.count }
        return DecodedOriginal(original, image, properties)
    }

    /// What the header says of a picture that is decoded faster than a thread wakes up; `nil` for any other.
    private nonisolated func tinyProperties(_ bytes: [UInt8]) -> ImageProperties? {
        guard bytes.count <= 4_096, configuration.inlinePixelLimit > 0,
            let properties = try? configuration.coders.properties(of: bytes), properties.frameCount == 1,
            properties.width * properties.height <= configuration.inlinePixelLimit
        else { return nil }
        return properties
    }

    nonisolated func transform(
        _ image: DecodedImage, _ request: ImageRequest, by transformers: ArraySlice<any ImageTransforming>,
        _ metrics: inout LoadMetrics
    ) async throws -> DecodedImage {
        guard !transformers.isEmpty else { return image }
        let clock = ContinuousClock()
        let start = clock.now
        defer { metrics.transform = clock.now - start }
        return try await processed(request) {
            try transformers.reduce(image) { try $1.transform($0) }
        }
    }

    /// Runs a transformer or an encoder, and says whose picture it was when that fails.
    nonisolated func processed<T: Sendable>(
        _ request: ImageRequest, _ body: @escaping @Sendable () throws -> T
    ) async throws -> T {
        do {
            return try await processing.run(body)
        } catch let error as ImageError {
            throw ImageLoadError(.processingFailed, message: error.message, url: request.url, cause: error)
        }
    }

    private static func explain(_ error: ImageError, _ original: Original) -> String {
        guard error.code == .unknownFormat, let type = original.contentType else { return error.message }
        return "\(error.message) The origin calls it \"\(type)\"."
    }
}
