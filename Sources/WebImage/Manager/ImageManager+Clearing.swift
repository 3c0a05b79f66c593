import Synchronization

extension ImageManager {
    /// Empties caches.
    ///
    /// Running loads continue, and their results are stored when they land.
    ///
    /// - Parameter tiers: The caches to empty. Both by default.
    /// - Throws: ``CacheError`` with code `.shutDown` after the manager's end; `CancellationError`. A file that cannot
    ///   be removed is kept, with a warning.
    public nonisolated func clear(_ tiers: CacheTiers = .all) async throws {
        guard pipeline.isOpen.load(ordering: .acquiring) else {
            throw CacheError(
                code: .shutDown, message: "The image manager has been shut down; its disk cache is left as it is.")
        }
        if tiers.contains(.memory) { await pipeline.memory.removeAll() }
        if tiers.contains(.disk) { try await diskCache?.removeAll() }
    }
}
