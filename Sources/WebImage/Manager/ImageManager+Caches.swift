// SPDX-License-Identifier: MIT
public import ImageCoding
import PlatformBasics
import Synchronization

/// The caches of a manager by request: what a load would read and write, without the load.
///
/// The hooks ``ImageManager/Hooks/cacheKey`` and those that change bytes apply, as they do to a load;
/// ``ImageManager/Hooks/requestProcessor`` is not asked. What the caches lose here is not brought back by a transfer
/// that another load has waited for.
extension ImageManager {
    /// Where the picture of a request can be had without asking the origin.
    ///
    /// - Returns: `.memory` when a ``peek(_:)`` finds it; `.disk` when the disk has the picture, or the original that
    ///   it is made from.
    /// - Throws: `CancellationError`; ``ImageLoadError`` for what a cache of the program's own has thrown.
    public nonisolated func contains(_ request: ImageRequest) async throws -> CacheTiers {
        let request = pipeline.named(request)
        let caches = pipeline.caches(for: request)
        var tiers: CacheTiers = caches.memory.contains(.picture(request.variantKey)) ? .memory : []
        for name in Set([request.variantKey, request.originalKey]) where request.allowsDisk {
            if try await Pipeline.asking(request.url, { try await caches.storesEntry(name) }) { tiers.insert(.disk) }
        }
        return tiers
    }

    /// The picture that the caches hold for a request; `nil` when they hold none. The origin is not asked.
    ///
    /// - Throws: ``ImageLoadError`` for a stored picture that cannot be decoded, for overload and after the end;
    ///   `CancellationError`.
    public nonisolated func cachedResponse(for request: ImageRequest) async throws -> ImageResponse? {
        var request = request
        request.cachePolicy = .onlyIfCached
        do {
            return try await load(request)
        } catch let error as ImageLoadError where error.code == .notInCache {
            return nil
        }
    }

    /// Puts a picture into the caches, as a load of the request would.
    ///
    /// In memory at once, and on disk later. Later loads of the request find it. With transformers it is a variant,
    /// which the disk keeps if ``Configuration/variantStorage`` admits it. Without them it is the original, and what was
    /// made of an earlier one goes.
    ///
    /// ```swift
    /// await manager.store(chart, for: ImageRequest(key: "chart"))
    /// ```
    ///
    /// - Parameters:
    ///   - image: The picture, transformed as the request asks for.
    ///   - request: Names it, and chooses the caches.
    ///   - format: The format of the file on disk. For an original by default PNG if a pixel may be transparent,
    ///     JPEG of quality 90 otherwise, and animated PNG for a moving picture; for a variant that of
    ///     ``Configuration/variantStorage``.
    public nonisolated func store(
        _ image: DecodedImage, for request: ImageRequest, format: ImageFormat? = nil
    ) async {
        let request = pipeline.named(request)
        let load = StoredByHand(pipeline: pipeline, request: request)
        await load.store(image, format.map { EncodedFormat($0) })
    }

    /// Puts a file into the caches, as if it had come from the origin: later loads of the address decode it.
    ///
    /// What was made of an earlier file goes, in memory and on disk. Only the header is read here, so the file has
    /// `.notExamined` in ``EncodedImage/damage`` until a load has decoded it.
    ///
    /// - Throws: ``ImageLoadError`` with code `.undecodable` for bytes that are no picture.
    public nonisolated func store(_ file: [UInt8], for request: ImageRequest) async throws {
        let request = pipeline.named(request)
        try await StoredByHand(pipeline: pipeline, request: request).store(file)
    }

    /// Removes the original of a request and everything that was made of it, and forgets its failure.
    ///
    /// A load under way goes on, and its results are stored when it lands.
    ///
    /// - Parameters:
    ///   - request: Names the original. Its transformers do not matter.
    ///   - tiers: The caches to remove it from. Both by default.
    /// - Throws: `CancellationError`; ``ImageLoadError`` for what a cache of the program's own has thrown.
    public nonisolated func remove(_ request: ImageRequest, from tiers: CacheTiers = .all) async throws {
        forgetFailure(of: request)
        let request = pipeline.named(request)
        let (caches, original) = (pipeline.caches(for: request), request.originalKey)
        if tiers.contains(caches.originalTier) { pipeline.jobs.forgetArrivals(of: RequestIdentity(request)) }
        if tiers.contains(.memory) { pipeline.writer(for: request).forget(original) }
        guard tiers.contains(.disk) else { return }
        // A write that waits would bring the entry back.
        await caches.flush()
        try await Pipeline.asking(request.url) { try await caches.disk?.removeAll(madeFrom: original) }
    }

    /// Removes the picture or the file that a request asks for, and nothing else that was made of its original.
    ///
    /// A picture without transformers is in memory alone: its file, the original, stays.
    ///
    /// - Parameters:
    ///   - request: Names the picture, with its transformers.
    ///   - format: The format of the file; `nil` for pixels.
    ///   - tiers: The caches to remove it from. Both by default.
    /// - Throws: `CancellationError`; ``ImageLoadError`` for what a cache of the program's own has thrown.
    public nonisolated func removeVariant(
        _ request: ImageRequest, as format: OutputFormat? = nil, from tiers: CacheTiers = .all
    ) async throws {
        let request = pipeline.named(request)
        let caches = pipeline.caches(for: request)
        let name = format.map { request.fileKey($0) } ?? request.variantKey
        if tiers.contains(.memory) { caches.memory.remove(format == nil ? .picture(name) : .file(name)) }
        guard tiers.contains(.disk), format != nil || !name.isOriginal else { return }
        // A write that waits would bring the entry back.
        await caches.writes?.settle(name)
        try await Pipeline.asking(request.url) { try await caches.disk?.remove(name) }
    }

    /// Waits until everything that the manager has handed over for the disk so far is written, or refused.
    ///
    /// **Cancellation**: returns at once.
    public nonisolated func flush() async { await pipeline.caches.flush() }
}

extension ImageManager {
    /// What the memory cache holds and has done.
    public nonisolated var memoryStatistics: MemoryStatistics { pipeline.caches.memory.statistics }

    /// Gives memory back until the pictures in memory take at most `cost` bytes.
    public nonisolated func trimMemory(toCost cost: Int) async { await pipeline.caches.memory.trim(toCost: cost) }

    /// Changes what the memory cache may hold, and evicts what is too much.
    public nonisolated func setMemoryLimits(_ limits: MemoryLimits) async {
        await pipeline.caches.memory.updateLimits(limits)
    }

    /// Gives memory back while memory is short, also that of remembered failures; see ``MemoryCache/respond(to:)``.
    public nonisolated func respond(to pressure: MemoryPressure) async {
        await pipeline.caches.memory.respond(to: pressure)
        pipeline.caches.relay.tell(pressure)
    }
}

/// Content that a program puts into the caches itself.
private struct StoredByHand {
    let pipeline: Pipeline
    let request: ImageRequest

    /// The content is newer than that of every transfer so far.
    private var number: Int { pipeline.hub.tally.downloads.load(ordering: .acquiring) }

    private var storesOnDisk: Bool { request.allowsDisk && pipeline.caches(for: request).writes != nil }

    func store(_ image: DecodedImage, _ format: EncodedFormat?) async {
        let (writer, name) = (pipeline.writer(for: request), request.variantKey)
        let format = format ?? (name.isOriginal ? .fitting(image) : nil)
        if name.isOriginal { writer.forget(name) }
        let response = ImageResponse(
            inMemory: Shared(.init(image: image, format: format?.format ?? .png, number: number)))
        if request.cacheWrites.variant.contains(.memory) {
            writer.remember(
                .decoded(response.content), as: .picture(name), of: request.originalKey, request.lifetime)
        }
        let writes = name.isOriginal ? request.cacheWrites.original : request.cacheWrites.variant
        guard storesOnDisk, writes.contains(.disk),
            let making = pipeline.variantEntry(response, for: request, madeFrom: nil, as: format)
        else { return }
        await writer.store(
            as: name, of: request.originalKey, number: response.number, byteCount: image.byteCount,
            waits: request.waitsForStores, request.lifetime, making)
    }

    func store(_ file: [UInt8]) async throws {
        let (writer, key, original) = (
            pipeline.writer(for: request), request.originalKey, Original(ofProgram: file, number: number)
        )
        let properties: ImageProperties
        do {
            properties = try pipeline.coders(for: request).properties(of: file)
        } catch let error as ImageError {
            throw ImageLoadError.undecodable(error, request.url, contentType: nil)
        } catch {
            throw ImageLoadError.ofPart("decoder", error, request.url, .undecodable)
        }
        writer.forget(key)
        if request.cacheWrites.original.contains(.disk), storesOnDisk {
            let entry = original.entry(properties, .notExamined, url: request.url, [:])
            await writer.store(
                as: key, of: key, number: original.number, byteCount: file.count, waits: request.waitsForStores,
                request.lifetime
            ) { entry }
        }
        guard request.cacheWrites.original.contains(.memory) else { return }
        var kept = original.encoded(properties, .notExamined).from(.memory)
        kept.generation = original.generation
        writer.remember(.encoded(Shared(kept)), as: .file(key), of: key, request.lifetime)
    }
}
