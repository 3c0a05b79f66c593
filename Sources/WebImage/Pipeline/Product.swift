// SPDX-License-Identifier: MIT
import ImageCoding
import PlatformBasics
import TaskCoordination

/// What a load makes of an original: a decoded picture, or a file. A load knows no more of it than is said here.
protocol Product: Sendable {
    associatedtype Value: Loaded

    /// The format of the file; `nil` for a picture.
    var format: OutputFormat? { get }
    /// The flights that make it.
    func flights(of pipeline: Pipeline) -> InFlight<LoadKey, Value, LoadProgress>
    /// Its name in the caches.
    func name(for request: ImageRequest) -> CacheKey
    /// The key of what memory holds under this name.
    func memoryKey(_ name: CacheKey) -> MemoryKey
    /// Whether it is the original as the origin sent it.
    func isOriginal(_ request: ImageRequest) -> Bool
    /// Whether the disk keeps it under a name.
    func isKept(as name: CacheKey) -> Bool
    /// Where a request reads or writes it.
    func tiers(_ access: CacheAccess, _ request: ImageRequest) -> CacheTiers
    /// What an entry on disk holds; `nil` for a broken one, which counts as a miss.
    func value(of entry: DiskEntry, for load: Load<Self>) async throws -> Value?
    /// The product of a picture, stored.
    ///
    /// - Parameter file: The file that a job has made of the picture; `nil` when none was asked for.
    func value(
        of picture: ImageResponse, as file: Result<JobProduct.File, any Error>?, for load: Load<Self>
    ) async throws -> Value
}

/// What a load answers with.
protocol Loaded: Sendable {
    var source: ImageSource { get }
    var origin: OriginResponse? { get }
    var generation: ContentGeneration? { get }
    /// What is wrong with the original, as far as it is known.
    var damage: ImageDamage { get }
    /// The value as memory keeps it.
    var inMemory: CachedPicture { get }
    /// The answer of a load that finds it in memory; `nil` for an entry of the other kind.
    init?(inMemory: CachedPicture)
    /// The answer of a load whose origin has confirmed it.
    func confirmed(_ origin: OriginResponse?, number: Int, metrics: LoadMetrics) -> Self
    /// The answer with what happened at the origin, and what it said before.
    func noting(_ facts: LoadFacts?, _ origin: OriginResponse?) -> Self
}

extension Product {
    /// Whether a request may be answered with what a cache holds under its name.
    ///
    /// Requests with every policy share the name of the original. One that was stored with a laxer policy is decoded
    /// again, with that of the request.
    func suits(_ value: Value, _ request: ImageRequest) -> Bool {
        !isOriginal(request) || request.parts?.value.provesOriginal == false
            || request.failOn.surelyAccepts(value.damage)
    }
}

// MARK: - A picture

/// A decoded and transformed picture.
struct Picture: Product {
    var format: OutputFormat? { nil }

    func flights(of pipeline: Pipeline) -> InFlight<LoadKey, ImageResponse, LoadProgress> { pipeline.pictures }
    func name(for request: ImageRequest) -> CacheKey { request.variantKey }
    func memoryKey(_ name: CacheKey) -> MemoryKey { .picture(name) }
    func isOriginal(_ request: ImageRequest) -> Bool { false }
    func isKept(as name: CacheKey) -> Bool { !name.isOriginal }
    func tiers(_ access: CacheAccess, _ request: ImageRequest) -> CacheTiers { access.variant }

    func value(of entry: DiskEntry, for load: Load<Self>) async throws -> ImageResponse? {
        try await load.pipeline.storedPicture(entry, for: load.request, load.metrics)
    }

    func value(
        of picture: ImageResponse, as file: Result<JobProduct.File, any Error>?, for load: Load<Self>
    ) async throws -> ImageResponse {
        if isKept(as: load.name), load.mayStore(load.writes),
            let making = load.pipeline.variantEntry(
                picture, for: load.request, madeFrom: load.recordedGeneration(picture.generation))
        {
            let byteCount = picture.image.byteCount + (picture.origin?.heapByteCount ?? 0)
            await load.store(as: load.name, number: picture.number, byteCount: byteCount, making)
        }
        return picture
    }
}

extension Pipeline {
    /// The picture of a stored variant; `nil` for a broken one, which is made again from the original. Overload and
    /// cancellation are errors.
    func storedPicture(
        _ entry: DiskEntry, for request: ImageRequest, _ metrics: LoadMetrics
    ) async throws -> ImageResponse? {
        guard let format = ImageFormat.all.first(where: { $0.name == entry.metadata.format }) else { return nil }
        do {
            var (image, share) = try await processing.decode(entry.bytes, for: request)
            // The variant is whole, and was made of a file that was not.
            image.damage.formUnion(entry.metadata.damage)
            return ImageResponse(
                .init(
                    image: image, format: format, isLossless: entry.metadata.isMadeFromLossless,
                    generation: entry.metadata.madeFrom),
                .init(source: .disk, metrics: metrics, share: share))
        } catch let error where !(error is CancellationError || error is CoordinationError) {
            return nil
        }
    }

    /// What makes the entry of a small still variant; `nil` for one that is not kept on disk. Larger ones are made
    /// again from the original.
    ///
    /// An original that a program stores has no such limit.
    ///
    /// - Parameter chosen: The format of the file, in place of the usual one.
    func variantEntry(
        _ response: ImageResponse, for request: ImageRequest, madeFrom generation: ContentGeneration?,
        as chosen: EncodedFormat? = nil
    ) -> WriteBehind.Making? {
        let (image, policy) = (response.image, configuration.variantStorage)
        guard
            request.variantKey.isOriginal
                || image.frameCount == 1 && image.width * image.height <= policy.maximumPixelCount
        else { return nil }
        var written = chosen ?? (image.hasAlpha ? policy.format : policy.opaqueFormat ?? policy.format)
        if request.keepsColors { written = written.keepingProfile }
        let (processing, format) = (processing, response.format)
        return { [written] in
            let bytes = try await processing.encode(image, as: written, for: request)
            var metadata = EntryMetadata(
                url: request.url.absoluteString, format: format.name, pixelWidth: image.width,
                pixelHeight: image.height, frameCount: image.frameCount)
            metadata.madeFrom = generation
            metadata.isMadeFromLossless = response.isLossless
            metadata.damage = image.damage
            return DiskEntry(metadata: metadata, bytes: bytes)
        }
    }
}

extension ImageResponse: Loaded {
    var inMemory: CachedPicture { .decoded(content) }

    init?(inMemory cached: CachedPicture) {
        guard case .decoded(let content) = cached else { return nil }
        self.init(inMemory: content)
    }
}

// MARK: - A file

/// A picture as a file. It has one stage more: encode.
struct File: Product {
    let file: OutputFormat

    var format: OutputFormat? { file }

    func flights(of pipeline: Pipeline) -> InFlight<LoadKey, EncodedImage, LoadProgress> { pipeline.files }
    func name(for request: ImageRequest) -> CacheKey { request.fileKey(file) }
    func memoryKey(_ name: CacheKey) -> MemoryKey { .file(name) }
    func isOriginal(_ request: ImageRequest) -> Bool { request.isForOriginalFile(file) }
    func isKept(as name: CacheKey) -> Bool { true }

    func tiers(_ access: CacheAccess, _ request: ImageRequest) -> CacheTiers {
        isOriginal(request) ? access.original : access.file
    }

    func value(of entry: DiskEntry, for load: Load<Self>) async throws -> EncodedImage? { EncodedImage(entry) }

    func value(
        of picture: ImageResponse, as made: Result<JobProduct.File, any Error>?, for load: Load<Self>
    ) async throws -> EncodedImage {
        guard let made else {
            // Only the original itself needs no encoder.
            guard var original = picture.original else { throw ImageLoadError.unexpectedConfirmation(load.request.url) }
            original.generation = picture.generation
            load.remember(original)
            return original
        }
        let file = try await encoded(picture, made, for: load)
        load.remember(file)
        guard load.mayStore(load.writes) else { return file }
        var entry = DiskEntry(file, url: load.request.url)
        entry.metadata.madeFrom = load.recordedGeneration(file.generation)
        let byteCount = file.bytes.count + (file.origin?.heapByteCount ?? 0)
        await load.store(as: load.name, number: file.number, byteCount: byteCount) { [entry] in entry }
        return file
    }

    private func encoded(
        _ picture: ImageResponse, _ made: Result<JobProduct.File, any Error>, for load: Load<Self>
    ) async throws -> EncodedImage {
        let made = try await load.pipeline.processed(load.request) { try made.get() }
        try Task.checkCancellation()
        let properties = try? load.pipeline.coders(for: load.request).properties(of: made.bytes)
        var file = EncodedImage(
            bytes: made.bytes, format: made.format.format, width: picture.image.width, height: picture.image.height,
            frameCount: properties?.frameCount ?? 1, source: picture.source, origin: picture.origin)
        (file.number, file.generation) = (picture.number, picture.generation)
        file.damage = picture.damage
        return file
    }
}

extension EncodedImage: Loaded {
    var inMemory: CachedPicture { .encoded(Shared(from(.memory))) }

    init?(inMemory cached: CachedPicture) {
        guard case .encoded(let file) = cached else { return nil }
        self = file.value
    }

    func noting(_ facts: LoadFacts?, _ origin: OriginResponse?) -> EncodedImage {
        var copy = self
        copy.facts = facts
        copy.origin = copy.origin ?? origin
        return copy
    }
}
