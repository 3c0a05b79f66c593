// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import Locks
import TaskCoordination

/// What the loads of a picture and of a file have in common: the request, the claim, and the way to the original.
/// An object, so that the stages share their state.
final class OriginalLoad: Sendable {
    let pipeline: Pipeline
    let request: ImageRequest
    let key: LoadKey
    let writer: CacheWriter
    /// The transfer that the flight waits for before it has a task, when only the origin can have the picture.
    private let transfer: InFlight<RequestIdentity, Download, LoadProgress>.Predecessor?
    /// That of the flight; `nil` for a load without one.
    private let work: FlightWork?
    /// What this load will make of the original, for other loads of the same original.
    private let wish: SharedWork.Wish
    /// Runs since the call that started this load.
    private let watch: Stopwatch
    /// `nil` when the claims of transfers suffice, because they have the same name: `wish` keeps what a transfer brings
    /// while this load lasts. Most loads only wait for a transfer, and many are cancelled meanwhile.
    private let claim: ContentOrder.Claim?
    private let noted = Mutex(LoadMetrics())
    /// What HTTP's rules have decided about this load; `nil` when they are not asked.
    let ruling: LoadRuling?

    init(
        _ pipeline: Pipeline, _ request: ImageRequest, _ key: LoadKey, _ start: inout FlightStart<LoadProgress>,
        _ watch: Stopwatch
    ) throws {
        self.pipeline = pipeline
        self.request = request
        self.key = key
        self.watch = watch
        work = start.work
        ruling = nil
        writer = pipeline.writer(for: request)
        let (wish, hasArrived) = pipeline.shared.wish(for: request, key.transfer)
        self.wish = wish
        let isForOrigin = Self.isForOrigin(pipeline, request, key, hasArrived: hasArrived)
        claim = request.cacheKey == nil ? nil : ContentOrder.Claim(pipeline.order, request.originalKey)
        transfer = isForOrigin ? try pipeline.downloader.predecessor(request, of: &start, waiting: watch) : nil
    }

    /// Creates a load by a ruling, in the flight of another load or without one.
    init(_ ruling: LoadRuling, _ request: ImageRequest, _ key: LoadKey, in load: OriginalLoad?) {
        (self.ruling, self.request, self.key, pipeline) = (ruling, request, key, ruling.pipeline)
        writer = pipeline.writer(for: request)
        watch = load?.watch ?? Stopwatch()
        work = load?.work
        wish = load?.wish ?? pipeline.shared.wish(for: request, key.transfer).0
        claim = load?.claim ?? ContentOrder.Claim(pipeline.order, request.originalKey)
        transfer = nil
    }

    /// Whether only the origin can have the picture.
    ///
    /// - Parameter hasArrived: Whether another load of the address has brought the file.
    static func isForOrigin(
        _ pipeline: Pipeline, _ request: ImageRequest, _ key: LoadKey, hasArrived: Bool = false
    ) -> Bool {
        guard pipeline.waitsWithoutTask, pipeline.hooks.shouldDownload == nil, request.cachePolicy != .onlyIfCached,
            request.cachePolicy != .http
        else { return false }
        if !request.retriesFailed, pipeline.failures.contains(key) { return false }
        if request.cachePolicy == .reload { return true }
        if pipeline.readsDisk(request) || request.cachePolicy.sendsValidators { return false }
        guard !hasArrived, !pipeline.holdsOriginal(request) else { return false }
        return key.variant.isOriginal || pipeline.pictureInMemory(madeInto: request) == nil
    }

    var caches: ImageCaches { writer.caches }

    /// The durations of the stages so far.
    var metrics: LoadMetrics { noted.withLock { $0 } }

    /// Notes the duration of a stage.
    func note(_ change: (inout sending LoadMetrics) -> Void) { noted.withLock { change(&$0) } }

    /// Runs the stages, unless this variant has failed a short while ago.
    nonisolated(nonsending) func run<Value>(
        _ stages: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        if !request.retriesFailed { try pipeline.failures.check(key, .variant) }
        do {
            let value = try await stages()
            if request.retriesFailed { pipeline.failures.forget(key) }
            return value
        } catch {
            // A coder or a transport that is cancelled may report a broken file.
            try Task.checkCancellation()
            pipeline.remember(error, of: key, request)
            throw error
        }
    }
}

// MARK: - Look up

extension OriginalLoad {
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

    /// Makes the variant from the picture that memory holds. Not after a transfer: the load then is about the file that
    /// has arrived.
    func variantOfMemory() async throws -> ImageResponse? {
        guard transfer == nil, !request.variantKey.isOriginal,
            let whole = pipeline.pictureInMemory(madeInto: request)
        else { return nil }
        let image = request.firstFrameOnly ? whole.image.firstFrame : whole.image
        let ready = try await pipeline.withPreparedTransformers(request)
        let (result, share, took) = try await pipeline.processed(request) {
            try await pipeline.processing.transform(image, by: ready.transformers, for: request)
        }
        note { $0.transform = took }
        return ImageResponse(
            .init(
                image: result, format: whole.format, origin: whole.origin, number: whole.number,
                isLossless: whole.isLossless, generation: whole.generation),
            .init(source: whole.source, metrics: metrics, share: share))
    }

    private func storedOriginal() async throws -> Original? {
        guard request.cachePolicy != .reload else { return nil }
        guard caches.disk == nil else {
            return try await diskEntry(for: request.originalKey, request.cacheReads.original).map { Original($0) }
        }
        return pipeline.heldOriginal(request).map { Original($0) }
    }
}

// MARK: - Fetch

extension OriginalLoad {
    /// Where the way to the original has led.
    enum Outcome {
        /// To the file.
        case original(Original)
        /// The origin has confirmed what memory holds, and there is no file.
        case confirmed(OriginResponse?, number: Int)
    }

    /// The original: from disk, or else from the origin.
    ///
    /// - Parameter held: What the origin said about the view that memory holds. It is confirmed when there is no file.
    func original(_ report: @escaping Pipeline.Report, held: OriginResponse? = nil) async throws -> Outcome {
        if let transfer { return try .original(arrived(transfer.value(), after: watch)) }
        let stored = try await storedOriginal()
        if let stored, request.cachePolicy.readsCachesFirst { return .original(stored) }
        // Without it, a load that missed on disk would ask again for what another load has not stored yet.
        if request.cachePolicy == .cacheFirst || ruling != nil,
            request.cacheReads.original.contains(caches.originalTier),
            let arrived = pipeline.shared.arrived(key.transfer), ruling?.accepts(arrived.origin) != false
        {
            return .original(arrived)
        }
        return try await fetch(report, stored, held)
    }

    /// The original from the origin, after the one on disk has turned out to be broken.
    private func replacement(_ report: @escaping Pipeline.Report) async throws -> Original {
        try await caches.disk?.remove(request.originalKey)
        return try await download(report, validating: nil).original
    }

    private func fetch(
        _ report: @escaping Pipeline.Report, _ stored: Original?, _ held: OriginResponse?
    ) async throws -> Outcome {
        let known = request.cachePolicy.sendsValidators ? stored?.origin ?? held : nil
        let (download, original) = try await download(report, validating: known)
        guard download.isNotModified else { return .original(original) }
        if let ruling, let known, await !ruling.isConfirmed(known, by: download.origin, self) {
            return try await .original(self.download(report, validating: nil).original)
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

    private func download(
        _ report: @escaping Pipeline.Report, validating known: OriginResponse?
    ) async throws -> (Download, original: Original) {
        try await checkOriginMayBeAsked()
        let watch = Stopwatch()
        let download = try await pipeline.downloader.download(
            request, validators: known?.validators ?? [:], priority: nil, report: report, within: work)
        return (download, arrived(download, after: watch))
    }

    private func arrived(_ download: Download, after watch: Stopwatch) -> Original {
        note {
            $0.download = watch.elapsed
            $0.answer = download.origin
        }
        return Original(download, ruling?.noted(download.origin))
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

// MARK: - Decode and transform

extension OriginalLoad {
    /// Decodes and transforms the original, and keeps it. A stored file that is broken is replaced.
    func processed(_ original: Original, _ report: @escaping Pipeline.Report) async throws -> ProcessedOriginal {
        do {
            return try await process(original)
        } catch let error as ImageLoadError where error.code == .undecodable && original.arrival != .network {
            return try await process(replacement(report))
        }
    }

    private func process(_ original: Original) async throws -> ProcessedOriginal {
        let ready = try await pipeline.withPreparedTransformers(request)
        do {
            let processed = try await pipeline.shared.process(original, for: ready, wish)
            note {
                $0.decode = processed.decodeTook
                $0.transform = processed.transformTook
            }
            await keep(processed)
            return processed
        } catch let error as ImageError {
            throw ImageLoadError.undecodable(error, request.url, contentType: original.contentType)
        } catch {
            throw ImageLoadError.ofPart("decoder", error, request.url, .undecodable)
        }
    }

    /// Stores a new original, after it has been decoded: every file in a cache is a picture. On disk, or without one in
    /// memory, so that another variant needs no second transfer.
    private func keep(_ processed: ProcessedOriginal) async {
        let original = processed.original
        guard original.arrival == .network else { return }
        if let ruling, !ruling.mayKeep { await forget() }
        forgetOthers(than: processed.generation, number: original.number)
        if caches.disk == nil, request.cacheSerializer == nil {
            var file = original.encoded(processed.properties)
            file.generation = processed.generation
            let view = CachedPicture.encoded(Shared(file.from(.memory)))
            remember(view, as: .file(request.originalKey), request.cacheWrites.original)
        }
        guard mayStore(request.cacheWrites.original) else { return }
        pipeline.hub.tell(request, .stored(byteCount: original.bytes.count))
        let (request, properties, coders) = (request, processed.properties, pipeline.coders(for: request))
        let selectors = pipeline.selectors(of: original.origin, request)
        let byteCount = original.bytes.count + (original.origin?.heapByteCount ?? 0)
        await store(as: request.originalKey, number: original.number, byteCount: byteCount) {
            guard let serializer = request.cacheSerializer else {
                return original.entry(properties, url: request.url, selectors)
            }
            let bytes = try await serializer.part(original.encoded(properties), request.url)
            return try original.replaced(by: bytes).entry(
                coders.properties(of: bytes), url: request.url, selectors)
        }
    }
}
