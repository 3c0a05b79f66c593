import ImageCoding

/// One flight of the manager, from the caches to the origin and back. Made once however many callers wait for it.
///
/// An object, and not Sendable: it belongs to its flight's task, and its stages share what they know without handing it
/// on. Each runs off the manager's actor; pixels are touched only on the processing pool.
final class Journey {
    let manager: ImageManager
    let request: ImageRequest
    let key: LoadKey
    let report: ImageManager.Report
    var metrics = LoadMetrics()

    /// Not inlined: the metrics would take their room in the frame of every load.
    @inline(never)
    init(_ manager: ImageManager, _ request: ImageRequest, _ key: LoadKey, _ report: @escaping ImageManager.Report) {
        self.manager = manager
        self.request = request
        self.key = key
        self.report = report
    }

    /// Whether the picture has a name of its own in the caches, beside the original's.
    var isVariant: Bool { !key.wantsOriginal && key.variant != request.originalKey }

    func run() async throws -> ImageResponse {
        manager.newest.enter(request.originalKey)
        defer { manager.newest.leave(request.originalKey) }
        // An earlier flight may have landed between the caller's look into memory and this one's start.
        if !key.wantsOriginal, let hit = manager.remembered(request, key.variant) { return hit }
        if !request.retriesFailed { try await manager.throwRecentFailure(for: key) }
        do {
            let response = try await travel()
            if request.retriesFailed { await manager.forgetFailure(for: key) }
            return response
        } catch {
            // A coder or transport that is cut short may call the file broken.
            try Task.checkCancellation()
            await manager.record(error, for: key)
            throw error
        }
    }

    private func travel() async throws -> ImageResponse {
        if isVariant, let stored = try await storedVariant() {
            remember(stored)
            return stored
        }
        let response =
            if isVariant, let variant = try await variantOfMemory() { variant } else {
                try await finished(original())
            }
        try Task.checkCancellation()
        // Memory first, then landing: whoever comes after the landing finds the picture, and nobody downloads twice.
        remember(response)
        await store(response)
        return response
    }
}
