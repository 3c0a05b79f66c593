// SPDX-License-Identifier: MIT
import HTTPCaching
import ImageCoding
import PlatformBasics

extension Load {
    /// Runs the stages as HTTP's rules decide about the stored original.
    ///
    /// A fresh original leads to the stages of ``CachePolicy/cacheFirst``, one to validate to those of
    /// ``CachePolicy/revalidate``, and none to those of ``CachePolicy/reload``.
    func ruled() async throws -> P.Value {
        let view = pipeline.held(request, product, name)?.inMemory
        let ruling = LoadRuling(pipeline, request, try await known(view))
        let value = try await value(by: ruling)
        return value.noting(ruling.facts(isFromOrigin: value.source == .network), ruling.known)
    }

    private func value(by ruling: LoadRuling) async throws -> P.Value {
        let policy: CachePolicy
        switch ruling.decision {
        case .useFresh, .useStale: return try await value(by: ruling, .cacheFirst)
        case .useWhileRevalidating:
            pipeline.refresh(request, product)
            return try await value(by: ruling, .cacheFirst)
        case .gatewayTimeout: throw ImageLoadError.notInCache(request.url)
        case .revalidate: policy = .revalidate
        case .forward: policy = .reload
        }
        do {
            return try await value(by: ruling, policy)
        } catch {
            try Task.checkCancellation()
            let error = ImageLoadError.mapping(error, url: request.url)
            if (error as? ImageLoadError)?.isGone == true { await forget() }
            guard ruling.standsIn(for: error) else { throw error }
            ruling.noteFailure((error as? ImageLoadError)?.status)
            do {
                return try await value(by: ruling, .onlyIfCached)
            } catch let lost as ImageLoadError where lost.code == .notInCache {
                throw error
            }
        }
    }

    /// Runs the stages of a policy.
    private func value(by ruling: LoadRuling, _ policy: CachePolicy) async throws -> P.Value {
        var request = request
        request.cachePolicy = policy
        if let hit = pipeline.remembered(request, product, name) { return hit }
        return try await Load(product, ruling, request, key, in: self).value()
    }

    /// Validates the original, and makes the product if the original has changed.
    func refresh() async throws {
        let held = pipeline.held(request, product, name)
        guard case .original(let original) = try await original(held: held?.origin), original.arrival == .network
        else { return }
        _ = try await made(of: original)
    }

    /// What the origin has said about the stored original: as memory, the disk, or memory's view of the original says
    /// it.
    ///
    /// Another process may have renewed what is on disk, so the later word counts.
    private func known(_ view: CachedPicture?) async throws -> OriginResponse? {
        let (name, held) = (request.originalKey, view?.origin)
        if let metadata = try await storedMetadata(), let stored = metadata.origin {
            guard let held, held.receivedAt >= stored.receivedAt else {
                // Views of other content are older than what is on disk.
                if let old = view?.generation, old != metadata.generation {
                    pipeline.writer(for: request).forget(name)
                }
                return stored
            }
            return held
        }
        if let held { return held }
        return pipeline.held(request, Picture(), name)?.origin
            ?? pipeline.held(request, File(file: .original), name)?.origin
    }

    private func storedMetadata() async throws -> EntryMetadata? {
        guard request.cacheReads.original.contains(.disk), allowsDisk, let disk = caches.disk else {
            return nil
        }
        await caches.writes?.settle(request.originalKey)
        return try await disk.metadata(for: request.originalKey)
    }

    /// Notes on the views in memory what a 304 has said.
    func renewViews(
        _ known: OriginResponse?, _ generation: ContentGeneration?, to origin: OriginResponse?, _ number: Int
    ) {
        guard let known, let origin, ruling?.mayKeep != false else { return }
        pipeline.writer(for: request)
            .renewViews(of: request.originalKey, known, generation, to: origin, number: number)
    }

    /// Removes the original and what was made of it: the origin has replaced it by what may not be kept, or has it no
    /// longer.
    func forget() async {
        let original = request.originalKey
        pipeline.writer(for: request).forget(original)
        guard allowsDisk else { return }
        await caches.writes?.settle(original)
        try? await caches.disk?.removeAll(madeFrom: original)
    }
}

extension ImageLoadError {
    /// Whether the origin says that it has no such picture.
    var isGone: Bool { code == .unacceptableStatus && (status == 404 || status == 410) }

    static func notInCache(_ url: URL) -> ImageLoadError {
        ImageLoadError(
            code: .notInCache, message: "The picture is not cached; allow the request to ask the origin.", url: url)
    }
}
