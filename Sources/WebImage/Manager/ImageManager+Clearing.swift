extension ImageManager {
    /// Empties caches.
    ///
    /// Loads that run go on, and are stored when they land.
    ///
    /// - Parameter tiers: The caches to empty. Both by default.
    /// - Throws: ``CacheError`` when the folder cannot be emptied; `CancellationError`.
    public nonisolated func clear(_ tiers: CacheTiers = .all) async throws {
        if tiers.contains(.memory) { await memory.removeAll() }
        if tiers.contains(.disk) { try await diskCache?.removeAll() }
    }
}
