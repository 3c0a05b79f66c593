import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination

// MARK: From the caches

extension Journey {
    /// What an earlier load stored for this very variant.
    func storedVariant() async throws -> ImageResponse? {
        guard request.cachePolicy.readsCachesFirst,
            let entry = try await diskEntry(for: key.variant),
            let format = ImageFormat.all.first(where: { $0.name == entry.metadata.format })
        else { return nil }
        let coders = manager.configuration.coders
        let options = DecodeOptions(limits: manager.configuration.limits)
        do {
            let image = try await manager.processing.run { try coders.decode(entry.bytes, options: options) }
            return ImageResponse(image: image, format: format, source: .disk, original: nil, metrics: metrics)
        } catch is ImageError {
            // As good as none: it is made again from the original. Overload and cancellation are no misses.
            return nil
        }
    }

    /// Transforms the untransformed picture, when memory has it.
    ///
    /// Not when a transfer was waited for: the file that has arrived is what the load is about.
    func variantOfMemory() async throws -> ImageResponse? {
        guard arrival == nil, !request.firstFrameOnly, let whole = manager.remembered(request, request.originalKey)
        else { return nil }
        let image = try await transform(whole.image, by: request.transformers[...])
        return ImageResponse(
            image: image, format: whole.format, source: whole.source, metrics: metrics, number: whole.number)
    }

    private func storedOriginal() async throws -> Original? {
        guard request.cachePolicy != .reload, let entry = try await diskEntry(for: request.originalKey)
        else { return nil }
        return Original(entry)
    }

    private func diskEntry(for key: CacheKey) async throws -> DiskEntry? {
        guard manager.mayAskDisk(request) else { return nil }
        let watch = Stopwatch()
        defer { note { $0.diskRead = ($0.diskRead ?? .zero) + watch.elapsed } }
        return try await manager.diskEntry(for: key, request)
    }
}

// MARK: From the origin

extension Journey {
    /// The file and what it shows, from disk or from the origin.
    func original(_ report: @escaping Report) async throws -> DecodedOriginal {
        let stored = try await storedOriginal()
        if let stored, let decoded = try await decodedUnlessBroken(stored) { return decoded }
        return try await decode(fetch(validating: stored, report))
    }

    /// - Returns: `nil` for a file that is no word about the origin, which is asked instead.
    private func decodedUnlessBroken(_ stored: Original) async throws -> DecodedOriginal? {
        guard request.cachePolicy.readsCachesFirst else { return nil }
        do {
            return try await decode(stored)
        } catch let error as ImageLoadError where error.code == .undecodable {
            _ = try await manager.diskCache?.remove(request.originalKey)
            return nil
        }
    }

    private func fetch(validating stored: Original?, _ report: @escaping Report) async throws -> Original {
        if let arrival { return try arrived(arrival.value(), after: watch) }
        try checkOriginMayBeAsked()
        let validated = request.cachePolicy.sendsValidators ? stored : nil
        let watch = Stopwatch()
        let download = try await manager.downloader.download(
            request, validators: validated?.validators ?? [:], priority: nil, report: report)
        return arrived(download, validated, after: watch)
    }

    private func arrived(_ download: Download, _ validated: Original? = nil, after watch: Stopwatch) -> Original {
        note { $0.download = watch.elapsed }
        return validated?.confirmed(by: download) ?? Original(download, for: request.url)
    }

    /// Not inlined: an error takes its room in the frame of every load.
    @inline(never) private func checkOriginMayBeAsked() throws {
        guard request.cachePolicy == .onlyIfCached else { return }
        throw ImageLoadError(
            .notInCache, message: "The picture is not cached; allow the request to ask the origin.", url: request.url)
    }
}

// MARK: Pixels

extension Journey {
    /// The picture that was asked for, made of the original, which is kept.
    func finished(_ decoded: DecodedOriginal) async throws -> ImageResponse {
        let original = decoded.original
        try Task.checkCancellation()
        if original.source == .network { await keep(decoded) }
        // A leading transformer that the decoder has taken over is done.
        let transformers = request.transformers.dropFirst(request.thumbnail == nil ? 0 : 1)
        let image = try await transform(decoded.image, by: transformers)
        let metrics = metrics
        let took = (metrics.decode ?? .zero) + (metrics.transform ?? .zero)
        manager.hub.tell(request.url, .decoded(width: image.width, height: image.height, took: took))
        return ImageResponse(
            image: image, format: decoded.properties.format, source: original.source,
            original: original.encoded(decoded.properties), metrics: metrics, number: original.number)
    }

    private func decode(_ original: Original) async throws -> DecodedOriginal {
        let watch = Stopwatch()
        defer { note { $0.decode = watch.elapsed } }
        let (manager, request) = (manager, request)
        do {
            if let properties = manager.tinyProperties(original.bytes) {
                return try manager.decoded(original, properties, request)
            }
            return try await manager.processing.run {
                try manager.decoded(original, manager.configuration.coders.properties(of: original.bytes), request)
            }
        } catch let error as ImageError {
            throw ImageLoadError(
                .undecodable, message: Self.explain(error, original), url: request.url, cause: error)
        }
    }

    private func transform(
        _ image: DecodedImage, by transformers: ArraySlice<any ImageTransforming>
    ) async throws -> DecodedImage {
        guard !transformers.isEmpty else { return image }
        let watch = Stopwatch()
        defer { note { $0.transform = watch.elapsed } }
        return try await manager.processed(request) {
            try transformers.reduce(image) { try $1.transform($0) }
        }
    }

    private static func explain(_ error: ImageError, _ original: Original) -> String {
        guard error.code == .unknownFormat, let type = original.contentType else { return error.message }
        return "\(error.message) The origin calls it \"\(type)\"."
    }
}
