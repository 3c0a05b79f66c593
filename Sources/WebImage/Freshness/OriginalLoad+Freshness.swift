// SPDX-License-Identifier: MIT
import Foundation
import HTTPCaching
import ImageCoding

extension OriginalLoad {
    /// Runs the stages of a load as HTTP's rules decide about the stored original.
    ///
    /// A fresh original leads to the stages of ``CachePolicy/cacheFirst``, one to validate to those of
    /// ``CachePolicy/revalidate``, and none to those of ``CachePolicy/reload``.
    ///
    /// - Parameters:
    ///   - view: What memory holds, whether fresh or not.
    ///   - format: The file that is loaded; `nil` for a picture.
    ///   - stages: The stages of the load that it is given.
    nonisolated(nonsending) func ruled<Value: Sendable>(
        _ view: CachedPicture?, as format: OutputFormat?,
        _ stages: nonisolated(nonsending) (OriginalLoad) async throws -> Value
    ) async throws -> (value: Value, ruling: LoadRuling) {
        let ruling = LoadRuling(pipeline, request, try await known(view))
        switch ruling.decision {
        case .useFresh, .useStale: return (try await stages(by(ruling, .cacheFirst)), ruling)
        case .useWhileRevalidating:
            pipeline.refresh(request, as: format)
            return (try await stages(by(ruling, .cacheFirst)), ruling)
        case .gatewayTimeout: throw ImageLoadError.notInCache(request.url)
        case .revalidate, .forward: break
        }
        let asksConditionally = if case .revalidate = ruling.decision { true } else { false }
        do {
            return (try await stages(by(ruling, asksConditionally ? .revalidate : .reload)), ruling)
        } catch {
            try Task.checkCancellation()
            let error = ImageLoadError.mapping(error, url: request.url)
            if (error as? ImageLoadError)?.isGone == true { await forget() }
            guard ruling.standsIn(for: error) else { throw error }
            ruling.noteFailure((error as? ImageLoadError)?.status)
            do {
                return (try await stages(by(ruling, .onlyIfCached)), ruling)
            } catch let lost as ImageLoadError where lost.code == .notInCache {
                throw error
            }
        }
    }

    private func by(_ ruling: LoadRuling, _ policy: CachePolicy) -> OriginalLoad {
        var request = request
        request.cachePolicy = policy
        return OriginalLoad(ruling, request, key, in: self)
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
        return pipeline.held(request, name)?.origin ?? pipeline.heldFile(request, .original, name)?.origin
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

extension PictureLoad {
    /// Runs all stages by HTTP's rules.
    func ruled(_ report: @escaping Pipeline.Report) async throws -> ImageResponse {
        let view = pipeline.held(request, name).map { CachedPicture.decoded($0.content) }
        let (response, ruling) = try await load.ruled(view, as: nil) { load in
            if let hit = pipeline.remembered(load.request, name) { return hit }
            return try await PictureLoad(load: load).picture(report)
        }
        return response.noting(ruling.facts(isFromOrigin: response.source == .network), ruling.known)
    }

    /// Validates the original, and makes the picture if the original has changed.
    func refresh() async throws {
        let held = pipeline.held(request, name)
        guard case .original(let original) = try await load.original({ _ in }, held: held?.origin),
            original.arrival == .network
        else { return }
        _ = try await finished(load.processed(original, { _ in }))
    }
}

extension FileLoad {
    /// Runs all stages by HTTP's rules.
    func ruled(_ report: @escaping Pipeline.Report) async throws -> EncodedImage {
        let view = pipeline.heldFile(request, format, name).map { CachedPicture.encoded(Shared($0)) }
        var (file, ruling) = try await load.ruled(view, as: format) { load in
            if let hit = pipeline.rememberedFile(load.request, format, name) { return hit }
            return try await FileLoad(load: load, format: format).file(report)
        }
        file.facts = ruling.facts(isFromOrigin: file.source == .network)
        file.origin = file.origin ?? ruling.known
        return file
    }

    /// Validates the original, and makes the file if the original has changed.
    func refresh() async throws {
        let held = pipeline.heldFile(request, format, name)
        guard case .original(let original) = try await load.original({ _ in }, held: held?.origin),
            original.arrival == .network
        else { return }
        _ = try await finished(load.processed(original, { _ in }))
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
