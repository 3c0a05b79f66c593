// SPDX-License-Identifier: MIT
import HTTPTransport
import ImageCoding
import Locks
import PlatformBasics
import TaskCoordination

/// The load of one picture or file: look up, fetch, decode and transform, make, keep. A flight makes one, however many
/// callers wait.
///
/// Pixels are touched only on the processing pool. An object, so that the stages share their state.
final class Load<P: Product>: Sendable {
    let product: P
    let pipeline: Pipeline
    let request: ImageRequest
    let key: LoadKey
    let writer: CacheWriter
    /// Tells the callers of the flight how much of the original has arrived.
    let report: Pipeline.Report?
    /// That of the flight, whose callers move the transfer; `nil` for a load without one.
    let work: FlightWork?
    /// What this load will make of the original, for other loads of the same original.
    let wish: JobTable.Wish
    /// `nil` when the claims of transfers suffice, because they have the same name: `wish` keeps what a transfer brings
    /// while this load lasts. Most loads only wait for a transfer, and many are cancelled meanwhile.
    private let claim: ContentOrder.Claim?
    private let noted = Mutex(LoadMetrics())
    /// What HTTP's rules have decided about this load; `nil` when they are not asked.
    let ruling: LoadRuling?

    /// Creates the load of a flight.
    init(
        _ product: P, _ pipeline: Pipeline, _ request: ImageRequest, _ key: LoadKey, _ work: FlightWork,
        _ report: @escaping Pipeline.Report
    ) {
        (self.product, self.pipeline, self.request, self.key, ruling) = (product, pipeline, request, key, nil)
        (self.work, self.report) = (work, report)
        writer = pipeline.writer(for: request)
        wish = pipeline.jobs.wish(for: request, key.transfer)
        claim = request.cacheKey == nil ? nil : ContentOrder.Claim(pipeline.order, request.originalKey)
    }

    /// Creates a load by a ruling, in the flight of another load or without one.
    init(_ product: P, _ ruling: LoadRuling, _ request: ImageRequest, _ key: LoadKey, in load: Load?) {
        (self.product, self.ruling, self.request, self.key) = (product, ruling, request, key)
        pipeline = ruling.pipeline
        work = load?.work
        report = load?.report
        writer = pipeline.writer(for: request)
        wish = load?.wish ?? pipeline.jobs.wish(for: request, key.transfer)
        claim = load?.claim ?? ContentOrder.Claim(pipeline.order, request.originalKey)
    }

    var name: CacheKey { key.variant }
    var caches: ImageCaches { writer.caches }
    var isOriginal: Bool { product.isOriginal(request) }
    var reads: CacheTiers { product.tiers(request.cacheReads, request) }
    var writes: CacheTiers { product.tiers(request.cacheWrites, request) }

    /// The durations of the stages so far.
    var metrics: LoadMetrics { noted.withLock { $0 } }

    /// Notes the duration of a stage.
    func note(_ change: (inout sending LoadMetrics) -> Void) { noted.withLock { change(&$0) } }
}

// MARK: - The way

extension Load {
    /// The whole way of a flight, unless this product has failed a short while ago.
    func run() async throws -> P.Value {
        // An earlier flight may have landed after the caller's look into memory and before the start of this one.
        if let hit = pipeline.remembered(request, product, name) { return hit }
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

    private func stages() async throws -> P.Value {
        guard let shared = caches.sharing else { return try await key.isRuled ? ruled() : value() }
        return try await sharing(product.format == nil || isOriginal ? nil : name, in: shared) {
            try await key.isRuled ? ruled() : value()
        }
    }

    /// The product: as it is stored, or made of a picture in memory, or made of the original.
    func value() async throws -> P.Value {
        if request.cachePolicy.readsCachesFirst {
            if let stored = try await stored() { return stored }
            if let made = try await madeOfMemory() { return made }
            if let made = try await madeOfStoredBeginning() { return made }
        }
        if case .picture(let make)? = request.content { return try await made(by: make) }
        let held = request.cachePolicy.sendsValidators ? pipeline.held(request, product, name) : nil
        switch try await original(held: held?.origin) {
        case .confirmed(let origin, let number):
            // Only what memory held had validators.
            guard let held else { throw ImageLoadError.unexpectedConfirmation(request.url) }
            return held.confirmed(origin, number: number, metrics: metrics)
        case .original(let original):
            if original.arrival == .confirmed, let same = try await unchanged(original, held) { return same }
            return try await made(of: original)
        }
    }

    /// What a job makes of the picture; `nil` for pixels.
    private var end: OutputFormat? { isOriginal ? nil : product.format }

    /// The product of an original. Memory gets it before the landing, so that a caller after the landing finds it, and
    /// nothing is downloaded twice.
    func made(of original: Original) async throws -> P.Value {
        let (made, original) = try await processed(original)
        try Task.checkCancellation()
        if isUndecoded {
            let file = CachedPicture.encoded(Shared(original.encoded(made.properties, made.damage)))
            if let value = P.Value(inMemory: file) {
                remember(value)
                return value
            }
        }
        let image = try await pipeline.processed(request) { try made.picture.get() }
        let took = made.decodeTook + (made.transformTook ?? .zero)
        pipeline.hub.tell(request, .decoded(width: image.width, height: image.height, took: took))
        let picture = ImageResponse(
            .init(
                image: image, format: made.properties.format, origin: original.origin, number: original.number,
                isLossless: made.properties.isLossless, generation: made.generation),
            .init(
                source: original.source, original: original.encoded(made.properties, image.damage), metrics: metrics,
                share: made.share))
        rememberPicture(picture)
        return try await product.value(of: picture, as: made.file, for: self)
    }
}

// MARK: - Look up

extension Load {
    /// The product that an earlier load has stored on disk.
    ///
    /// - Parameter generation: The original that it must have been made from; `nil` for any.
    private func stored(madeFrom generation: ContentGeneration? = nil) async throws -> P.Value? {
        guard product.isKept(as: name), let entry = try await diskEntry(for: name, reads),
            generation == nil || entry.metadata.madeFrom == generation,
            let value = try await product.value(of: entry, for: self), product.suits(value, request)
        else { return nil }
        remember(value)
        return value
    }

    /// The product in memory or on disk, if it was made from this original, which the origin has confirmed.
    private func unchanged(_ original: Original, _ held: P.Value?) async throws -> P.Value? {
        if isOriginal { return nil }
        let generation = original.generation
        let same = if let held, held.generation == generation { held } else { try await stored(madeFrom: generation) }
        return same?.confirmed(original.origin, number: original.number, metrics: metrics)
    }

    /// The product of a picture that memory holds: of the same one, of a beginning of its steps, or of the whole.
    private func madeOfMemory() async throws -> P.Value? {
        if isOriginal { return nil }
        if end != nil, let picture = pipeline.remembered(request, Picture(), request.variantKey) {
            var same = request
            same.transformers = []
            return try await made(of: picture, for: same)
        }
        // By HTTP's rules a view is asked for by its own name.
        if ruling == nil, let (begun, rest) = pipeline.beginningInMemory(of: request) {
            return try await made(of: begun, for: pipeline.withPreparedTransformers(rest))
        }
        guard !request.variantKey.isOriginal, let whole = pipeline.pictureInMemory(madeInto: request) else {
            return nil
        }
        return try await made(of: whole, for: pipeline.withPreparedTransformers(request))
    }

    func made(of held: ImageResponse, for request: ImageRequest) async throws -> P.Value {
        let (made, image) = try await pipeline.processed(request) {
            let made = try await pipeline.jobs.product(of: .picture(held), for: request, as: end, wish)
            return (made, try made.picture.get())
        }
        note { $0.transform = made.decodeTook + (made.transformTook ?? .zero) }
        let picture = ImageResponse(
            .init(
                image: image, format: held.format, origin: held.origin, number: held.number,
                isLossless: held.isLossless, generation: held.generation),
            .init(source: held.source, metrics: metrics, share: made.share))
        if !request.transformers.isEmpty { rememberPicture(picture) }
        return try await product.value(of: picture, as: made.file, for: self)
    }
}

// MARK: - Decode and transform

extension Load {
    /// Lets a job make of the original what this load wants, and keeps the original. A stored file that is broken is
    /// replaced.
    ///
    /// - Returns: What was made, and of which original.
    private func processed(_ original: Original) async throws -> (JobProduct, Original) {
        do {
            return (try await process(original), original)
        } catch let error as ImageLoadError where error.code == .undecodable && original.arrival.isStored {
            let original = try await replacement()
            return (try await process(original), original)
        }
    }

    /// Whether the original is kept by its header alone.
    private var isUndecoded: Bool { isOriginal && request.parts?.value.provesOriginal == false }

    /// What is known of an original that is not decoded.
    private func undecoded(_ original: Original) throws -> JobProduct {
        let properties = try pipeline.coders(for: request).properties(of: original.bytes)
        return JobProduct(properties, nil, .failure(CancellationError()), decodeTook: .zero)
    }

    private func process(_ original: Original) async throws -> JobProduct {
        let ready = try await pipeline.withPreparedTransformers(request)
        do {
            let made =
                isUndecoded
                ? try undecoded(original)
                : try await pipeline.jobs.product(
                    of: .file(original), for: ready, as: end, isProof: isOriginal, wish)
            note {
                $0.decode = made.decodeTook
                $0.transform = made.transformTook
            }
            await keep(original, made)
            return made
        } catch let error as ImageError {
            throw ImageLoadError.undecodable(error, request.url, contentType: original.contentType)
        } catch {
            throw ImageLoadError.ofPart("decoder", error, request.url, .undecodable)
        }
    }
}
