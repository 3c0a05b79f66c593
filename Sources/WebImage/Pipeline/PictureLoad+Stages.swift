import Foundation
import HTTPTransport
import ImageCoding
import TaskCoordination

// MARK: - Look up

extension PictureLoad {
    /// Whether the picture has a name of its own in the caches, beside the original's.
    private var isVariant: Bool { !key.wantsOriginal && key.variant != request.originalKey }

    /// The picture that an earlier load has stored for this variant.
    func storedVariant() async throws -> ImageResponse? {
        guard isVariant, request.cachePolicy.readsCachesFirst, let entry = try await diskEntry(for: key.variant),
            let format = ImageFormat.all.first(where: { $0.name == entry.metadata.format })
        else { return nil }
        do {
            let (image, share) = try await pipeline.processing.decode(entry.bytes)
            return ImageResponse(image: image, format: format, source: .disk, metrics: metrics, share: share)
        } catch is ImageError {
            // A broken variant counts as a miss: it is made again from the original. Overload and cancellation are
            // errors.
            return nil
        }
    }

    /// Transforms the untransformed picture if memory has it.
    ///
    /// Not after a transfer: the load then is about the file that has arrived.
    func variantOfMemory() async throws -> ImageResponse? {
        guard isVariant, transfer == nil, !request.firstFrameOnly,
            let whole = pipeline.remembered(request, request.originalKey)
        else { return nil }
        let (image, share, took) = try await pipeline.processed(request) {
            try await pipeline.processing.transform(whole.image, by: request.transformers)
        }
        note { $0.transform = took }
        return ImageResponse(
            image: image, format: whole.format, source: whole.source, metrics: metrics, number: whole.number,
            share: share)
    }

    private func storedOriginal() async throws -> Original? {
        guard request.cachePolicy != .reload, let entry = try await diskEntry(for: request.originalKey)
        else { return nil }
        return Original(entry)
    }

    private func diskEntry(for key: CacheKey) async throws -> DiskEntry? {
        guard pipeline.disk != nil, request.readsDisk else { return nil }
        let watch = Stopwatch()
        defer { note { $0.diskRead = ($0.diskRead ?? .zero) + watch.elapsed } }
        return try await pipeline.diskEntry(for: key, request)
    }
}

extension Pipeline {
    /// The entry of the disk cache for `key`, if the request may read it.
    func diskEntry(for key: CacheKey, _ request: ImageRequest) async throws -> DiskEntry? {
        guard let disk, request.readsDisk else { return nil }
        await cache.settle(key)
        guard let entry = try await disk.entry(for: key) else { return nil }
        hub.tally.diskHits.add()
        hub.tell(request.url, .cacheHit(.disk))
        return entry
    }
}

// MARK: - Fetch

extension PictureLoad {
    /// The file and its picture, from disk or from the origin.
    func original(_ report: @escaping Pipeline.Report) async throws -> ProcessedOriginal {
        let stored = try await storedOriginal()
        if let stored, let processed = try await processedUnlessBroken(stored) { return processed }
        return try await process(fetch(validating: stored, report))
    }

    /// - Returns: `nil` when the stored file is broken; the origin is asked instead.
    private func processedUnlessBroken(_ stored: Original) async throws -> ProcessedOriginal? {
        guard request.cachePolicy.readsCachesFirst else { return nil }
        do {
            return try await process(stored)
        } catch let error as ImageLoadError where error.code == .undecodable {
            _ = try await pipeline.disk?.remove(request.originalKey)
            return nil
        }
    }

    private func fetch(validating stored: Original?, _ report: @escaping Pipeline.Report) async throws -> Original {
        if let transfer { return try arrived(transfer.value(), after: watch) }
        try checkOriginMayBeAsked()
        let validated = request.cachePolicy.sendsValidators ? stored : nil
        let watch = Stopwatch()
        let download = try await pipeline.downloader.download(
            request, validators: validated?.validators ?? [:], priority: nil, report: report)
        return arrived(download, validated, after: watch)
    }

    private func arrived(_ download: Download, _ validated: Original? = nil, after watch: Stopwatch) -> Original {
        note { $0.download = watch.elapsed }
        return validated?.confirmed(by: download) ?? Original(download, for: request.url)
    }

    @inline(never) private func checkOriginMayBeAsked() throws {
        guard request.cachePolicy == .onlyIfCached else { return }
        throw ImageLoadError(
            code: .notInCache, message: "The picture is not cached; allow the request to ask the origin.",
            url: request.url)
    }
}

// MARK: - Decode and transform

extension PictureLoad {
    private func process(_ original: Original) async throws -> ProcessedOriginal {
        do {
            let processed = try await pipeline.processing.process(original, for: request)
            note {
                $0.decode = processed.decodeTook
                $0.transform = processed.transformTook
            }
            return processed
        } catch let error as ImageError {
            throw ImageLoadError.undecodable(error, request.url, contentType: original.contentType)
        }
    }

    /// The requested picture, made from the original, which is stored.
    func finished(_ processed: ProcessedOriginal) async throws -> ImageResponse {
        let original = processed.original
        if original.source == .network { await keep(processed) }
        try Task.checkCancellation()
        let image = try await pipeline.processed(request) { try processed.picture.get() }
        let took = processed.decodeTook + (processed.transformTook ?? .zero)
        pipeline.hub.tell(request.url, .decoded(width: image.width, height: image.height, took: took))
        return ImageResponse(
            image: image, format: processed.properties.format, source: original.source,
            original: original.encoded(processed.properties), metrics: metrics, number: original.number,
            share: processed.share)
    }
}

// MARK: - Keep

extension PictureLoad {
    func remember(_ response: ImageResponse) {
        pipeline.cache.remember(.decoded(response.remembered), as: .picture(key.variant), request)
    }

    /// Stores the original on disk, after it has been decoded: every file on disk is a picture.
    private func keep(_ decoded: ProcessedOriginal) async {
        guard pipeline.cache.mayStore(request) else { return }
        let entry = decoded.original.entry(decoded.properties)
        pipeline.hub.tell(request.url, .stored(byteCount: entry.bytes.count))
        await pipeline.cache.store(as: request.originalKey, request, number: decoded.original.number) { entry }
    }

    /// Stores a small still variant on disk, losslessly. Larger ones are made again from the original.
    func store(_ response: ImageResponse) async {
        let (image, format) = (response.image, response.format)
        guard key.variant != request.originalKey, image.frames.count == 1,
            image.width * image.height <= pipeline.configuration.maximumStoredVariantPixels
        else { return }
        let (processing, url) = (pipeline.processing, request.url.absoluteString)
        await pipeline.cache.store(as: key.variant, request, number: response.number) {
            let bytes = try await processing.encode(image, as: .png, priority: .background, holding: nil)
            let metadata = EntryMetadata(
                url: url, format: format.name, pixelWidth: image.width, pixelHeight: image.height, frameCount: 1)
            return DiskEntry(metadata: metadata, bytes: bytes)
        }
    }
}
