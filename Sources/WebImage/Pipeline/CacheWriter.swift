/// Keeps what loads bring: in memory at once, on disk behind them. Content that has been overtaken is kept nowhere.
final class CacheWriter: Sendable {
    let order = ContentOrder()
    /// `nil` without a disk cache.
    let writes: WriteBehind?
    private let memory: MemoryCache<MemoryKey, CachedPicture>

    init(_ memory: MemoryCache<MemoryKey, CachedPicture>, _ writes: WriteBehind?) {
        self.memory = memory
        self.writes = writes
    }

    /// Keeps a picture or a file in memory, when the request allows it.
    ///
    /// What a transfer has brought takes the other view out when that has not come with it: it may be older. What was read
    /// from disk leaves it there.
    func remember(_ picture: CachedPicture, as key: MemoryKey, _ request: ImageRequest) {
        guard request.cacheWrites.contains(.memory) else { return }
        order.ifNewest(picture.number, of: request.originalKey) {
            memory.store(picture, for: key, cost: picture.cost)
            guard picture.number > 0 else { return }
            memory.remove(key.counterpart) { $0.number != picture.number }
        }
    }

    /// Whether what the request brings is written to disk.
    func mayStore(_ request: ImageRequest) -> Bool {
        writes != nil && request.cacheWrites.contains(.disk) && request.allowsDisk
    }

    /// Writes an entry to disk, later, when the request allows it.
    ///
    /// - Parameters:
    ///   - number: That of the transfer that brought it; 0 when it was on disk before.
    ///   - making: Makes the entry when its turn has come.
    func store(
        as key: CacheKey, _ request: ImageRequest, number: Int, _ making: @escaping WriteBehind.Making
    ) async {
        guard mayStore(request) else { return }
        let (order, original) = (order, request.originalKey)
        await writes?.submit(for: key, if: { order.admits(number, of: original) }, making)
    }

    /// Waits until what was submitted for `key` is on disk, so that no read finds what is about to be replaced.
    func settle(_ key: CacheKey) async { await writes?.settle(key) }
}
