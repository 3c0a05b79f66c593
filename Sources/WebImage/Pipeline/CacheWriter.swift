// SPDX-License-Identifier: MIT
import ImageCoding

/// Stores the results of loads: in memory at once, on disk after the load. Content that newer content has overtaken is
/// not stored.
final class CacheWriter: Sendable {
    let caches: ImageCaches
    let order: ContentOrder

    init(_ caches: ImageCaches, _ order: ContentOrder) { (self.caches, self.order) = (caches, order) }

    /// Stores a picture or a file in memory.
    func remember(
        _ picture: CachedPicture, as key: MemoryKey, of original: CacheKey, _ lifetime: CacheLifetime = .init()
    ) {
        let memory = caches.memory
        order.ifNewest(picture.number, picture.generation, of: original) {
            memory.store(picture, for: key, cost: picture.cost(for: key), age: lifetime.memory)
            if !key.name.isOriginal { caches.variants.insert(key, of: original) { memory.contains(key) } }
        }
    }

    /// Removes every view of an original from memory that was made of other content than a transfer has brought now.
    func forgetOthers(than generation: ContentGeneration, number: Int, of original: CacheKey) {
        order.ifNewest(number, generation, of: original) {
            caches.memory.remove(caches.views(of: original)) { !$0.isOf(generation, number: number) }
        }
    }

    /// Changes what the origin has said about the views of an original in memory, after a 304.
    ///
    /// - Parameters:
    ///   - known: What it said before. Views that were made of this response are changed.
    ///   - generation: Views of this content are changed, too.
    func renewViews(
        of original: CacheKey, _ known: OriginResponse, _ generation: ContentGeneration?, to origin: OriginResponse,
        number: Int
    ) {
        order.ifNewest(number, generation, of: original) {
            for name in caches.views(of: original) {
                guard let view = caches.memory.value(for: name),
                    view.origin == known || (generation != nil && view.generation == generation)
                else { continue }
                let renewed = view.renewed(origin, number)
                caches.memory.replace(renewed, for: name, cost: renewed.cost(for: name))
            }
        }
    }

    /// Removes every view of an original from memory.
    func forget(_ original: CacheKey) {
        caches.memory.remove(caches.views(of: original)) { _ in true }
    }

    /// Writes an entry to disk later.
    ///
    /// - Parameters:
    ///   - number: The number of the transfer that brought it; 0 when it was on disk before.
    ///   - byteCount: The memory that `making` keeps.
    ///   - waits: Whether to wait until it is written. Otherwise the write is dropped when too much waits to be
    ///     written.
    ///   - making: Makes the entry when the write begins.
    func store(
        as key: CacheKey, of original: CacheKey, number: Int, byteCount: Int, waits: Bool, _ lifetime: CacheLifetime,
        _ making: @escaping WriteBehind.Making
    ) async {
        guard let writes = caches.writes else { return }
        let making = lifetime.stamping(making)
        let isCurrent = { @Sendable [order] in order.admits(number, of: original) }
        if waits {
            await writes.submit(for: key, byteCount: byteCount, if: isCurrent, making)
            await writes.settle(key)
        } else {
            await writes.submitIfRoom(for: key, byteCount: byteCount, if: isCurrent, making)
        }
    }

    /// Changes what is known about a stored original, later, and counts it as stored now.
    ///
    /// - Parameter byteCount: The memory that `change` keeps.
    func renew(
        _ original: CacheKey, ifContentIs generation: ContentGeneration, number: Int, byteCount: Int, waits: Bool,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async {
        guard let writes = caches.writes else { return }
        let isCurrent = { @Sendable [order] in order.admits(number, of: original) }
        await writes.renew(original, ifContentIs: generation, byteCount: byteCount, if: isCurrent, change)
        if waits { await writes.settle(original) }
    }
}
