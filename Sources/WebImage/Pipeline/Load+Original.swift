// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import PlatformBasics

/// Where the way to the original has led.
enum OriginalOutcome {
    /// To the file.
    case original(Original)
    /// The origin has confirmed what memory holds, and there is no file.
    case confirmed(OriginResponse?, number: Int)
}

// MARK: - On disk

extension Load {
    /// The entry on disk for `name`, if the request may read it.
    ///
    /// - Parameter tiers: Where the request reads this kind of content.
    func diskEntry(for name: CacheKey, _ tiers: CacheTiers) async throws -> DiskEntry? {
        guard tiers.contains(.disk), allowsDisk, let disk = caches.disk else { return nil }
        let watch = Stopwatch()
        defer { note { $0.diskRead = ($0.diskRead ?? .zero) + watch.elapsed } }
        let original = request.originalKey
        await caches.writes?.settle(original)
        if name != original { await caches.writes?.settle(name) }
        let entry =
            name == original ? try await disk.entry(for: name) : try await disk.entry(for: name, madeFrom: original)
        guard let entry else { return nil }
        pipeline.hub.tally.diskHits.add()
        pipeline.hub.tell(request, .cacheHit(.disk))
        return entry
    }

    private func storedOriginal() async throws -> Original? {
        guard request.cachePolicy != .reload else { return nil }
        if let entry = try await diskEntry(for: request.originalKey, request.cacheReads.original) {
            return Original(entry, OriginalShare(pipeline.processing.queue, entry.bytes.count))
        }
        // Beside a disk, memory alone may have a file that the program has stored there.
        guard let held = pipeline.heldOriginal(request), caches.disk == nil || held.damage.contains(.notExamined)
        else { return nil }
        return Original(held)
    }
}

// MARK: - Fetch

extension Load {
    /// The original: what the program has, or from disk, or else from the origin.
    ///
    /// - Parameter held: What the origin said about the view that memory holds. It is confirmed when there is no file.
    func original(held: OriginResponse?) async throws -> OriginalOutcome {
        if let content = request.content { return .original(try await original(in: content)) }
        let stored = try await storedOriginal()
        if let stored, request.cachePolicy.readsCachesFirst { return .original(stored) }
        // Without it, a load that missed on disk would ask again for what another load has not stored yet.
        if request.cachePolicy == .cacheFirst || ruling != nil,
            request.cacheReads.original.contains(caches.originalTier),
            let arrived = pipeline.jobs.arrived(key.transfer), ruling?.accepts(arrived.origin) != false
        {
            return .original(arrived)
        }
        return try await fetch(stored, held)
    }

    private func original(in content: ProgramContent) async throws -> Original {
        if request.cachePolicy == .onlyIfCached { throw ImageLoadError.notInCache(request.url) }
        let limit = pipeline.configuration.downloader.maximumByteCount
        do {
            let bytes = try await content.bytes(upTo: min(limit, request.transfer.maximumBodyByteCount ?? .max))
            // What is no picture does not wait for a thread.
            try pipeline.coders(for: request).checkSignature(bytes)
            return Original(ofProgram: bytes, OriginalShare(pipeline.processing.queue, bytes.count))
        } catch let error as HTTPError {
            throw ImageLoadError(
                code: .transferFailed, message: error.summary, advice: error.advice, url: request.url, cause: error)
        } catch let error as ImageError {
            throw ImageLoadError.undecodable(error, request.url, contentType: nil)
        }
    }

    /// The original from the origin, after the one on disk has turned out to be broken.
    func replacement() async throws -> Original {
        try await caches.disk?.remove(request.originalKey)
        return try await download(validating: nil).original
    }

    private func fetch(_ stored: Original?, _ held: OriginResponse?) async throws -> OriginalOutcome {
        // The question is about the stored file, if there is one: memory may hold another content.
        let known = request.cachePolicy.sendsValidators ? stored.map(\.origin) ?? held : nil
        let (download, original) = try await download(validating: known)
        guard download.isNotModified else { return .original(original) }
        if let ruling, let known, await !ruling.isConfirmed(known, by: download.origin, self) {
            return try await .original(self.download(validating: nil).original)
        }
        let rules = pipeline.configuration.cacheRules
        guard let stored else {
            let origin = known?.renewed(by: download.origin, rules)
            renewViews(known, nil, to: origin, download.number)
            return .confirmed(origin, number: download.number)
        }
        let confirmed = stored.confirmed(by: download, rules)
        renewViews(known, confirmed.generation, to: confirmed.origin, download.number)
        await renew(confirmed)
        return .original(confirmed)
    }

    private func download(validating known: OriginResponse?) async throws -> (Download, original: Original) {
        try await checkOriginMayBeAsked()
        let watch = Stopwatch()
        let download = try await pipeline.downloader.download(
            request, validators: known?.validators ?? [:], priority: nil, report: report, within: work)
        note {
            $0.download = watch.elapsed
            $0.answer = download.origin
        }
        return (download, Original(download, ruling?.noted(download.origin)))
    }

    /// Writes what the origin has said on confirming the file on disk: the entry is as if it had just been stored.
    private func renew(_ original: Original) async {
        guard mayStore(request.cacheWrites.original), let origin = original.origin else { return }
        await writer.renew(
            request.originalKey, ifContentIs: original.generation, number: original.number,
            byteCount: origin.heapByteCount, waits: request.waitsForStores
        ) { $0.note(origin) }
    }

    private func checkOriginMayBeAsked() async throws {
        if request.cachePolicy == .onlyIfCached {
            throw ImageLoadError.notInCache(request.url)
        }
        // Here and no earlier, so that a failure hides nothing that is stored.
        if !request.retriesFailed { try pipeline.failures.check(key, .address) }
        guard let shouldDownload = pipeline.hooks.shouldDownload, await !shouldDownload(request) else { return }
        throw ImageLoadError(
            code: .refused, message: "The hook `shouldDownload` of the manager refuses this address.", url: request.url)
    }
}
