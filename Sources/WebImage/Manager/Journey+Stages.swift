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
        do {
            let (image, share) = try await manager.processing.decode(entry.bytes)
            return ImageResponse(image: image, format: format, source: .disk, metrics: metrics, share: share)
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
        let (image, share, took) = try await manager.processed(request) {
            try await manager.processing.transform(whole.image, by: request.transformers)
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
        guard manager.mayAskDisk(request) else { return nil }
        let watch = Stopwatch()
        defer { note { $0.diskRead = ($0.diskRead ?? .zero) + watch.elapsed } }
        return try await manager.diskEntry(for: key, request)
    }
}

// MARK: From the origin

extension Journey {
    /// The file and what it shows, from disk or from the origin.
    func original(_ report: @escaping Report) async throws -> ProcessedOriginal {
        let stored = try await storedOriginal()
        if let stored, let processed = try await processedUnlessBroken(stored) { return processed }
        return try await process(fetch(validating: stored, report))
    }

    /// - Returns: `nil` for a file that is no word about the origin, which is asked instead.
    private func processedUnlessBroken(_ stored: Original) async throws -> ProcessedOriginal? {
        guard request.cachePolicy.readsCachesFirst else { return nil }
        do {
            return try await process(stored)
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
    func finished(_ processed: ProcessedOriginal) async throws -> ImageResponse {
        let original = processed.original
        if original.source == .network { await keep(processed) }
        try Task.checkCancellation()
        let image = try await manager.processed(request) { try processed.picture.get() }
        let took = processed.decodeTook + (processed.transformTook ?? .zero)
        manager.hub.tell(request.url, .decoded(width: image.width, height: image.height, took: took))
        return ImageResponse(
            image: image, format: processed.properties.format, source: original.source,
            original: original.encoded(processed.properties), metrics: metrics, number: original.number,
            share: processed.share)
    }

    private func process(_ original: Original) async throws -> ProcessedOriginal {
        do {
            let processed = try await manager.processing.process(original, for: request)
            note {
                $0.decode = processed.decodeTook
                $0.transform = processed.transformTook
            }
            return processed
        } catch let error as ImageError {
            throw ImageLoadError.undecodable(error, request.url, contentType: original.contentType)
        }
    }
}
