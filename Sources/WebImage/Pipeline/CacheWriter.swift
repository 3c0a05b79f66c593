/// Stores the results of loads: in memory at once, on disk after the load. Content that newer content has overtaken is
/// not stored.
final class CacheWriter: Sendable {
    let order = ContentOrder()
    /// `nil` without a disk cache.
    let writes: WriteBehind?
    private let memory: MemoryCache<MemoryKey, CachedPicture>

    init(_ memory: MemoryCache<MemoryKey, CachedPicture>, _ writes: WriteBehind?) {
        self.memory = memory
        self.writes = writes
    }

    /// Stores a picture or a file in memory, if the request allows it.
    ///
    /// Content from a transfer removes the other view unless that came with the same transfer, because it may be older.
    /// Content from disk leaves the other view in place.
    func remember(_ picture: CachedPicture, as key: MemoryKey, _ request: ImageRequest) {
        guard request.cacheWrites.contains(.memory) else { return }
        order.ifNewest(picture.number, of: request.originalKey) {
            memory.store(picture, for: key, cost: picture.cost)
            guard picture.number > 0 else { return }
            memory.remove(key.counterpart) { $0.number != picture.number }
        }
    }

    /// Whether the result of the request is written to disk.
    func mayStore(_ request: ImageRequest) -> Bool {
        writes != nil && request.cacheWrites.contains(.disk) && request.allowsDisk
    }

    /// Writes an entry to disk later, if the request allows it.
    ///
    /// - Parameters:
    ///   - number: The number of the transfer that brought it; 0 when it was on disk before.
    ///   - making: Makes the entry when the write begins.
    func store(
        as key: CacheKey, _ request: ImageRequest, number: Int, _ making: @escaping WriteBehind.Making
    ) async {
        guard mayStore(request) else { return }
        let (order, original) = (order, request.originalKey)
        await writes?.submit(for: key, if: { order.admits(number, of: original) }, making)
    }

    /// Waits until what was submitted for `key` is on disk, so that no reader gets an entry that is about to be
    /// replaced.
    func settle(_ key: CacheKey) async { await writes?.settle(key) }
}
