// SPDX-License-Identifier: MIT
import ImageCoding

extension Load {
    /// Whether the pictures of the request, as it was made, may be on disk.
    var allowsDisk: Bool { (ruling?.request ?? request).allowsDisk }

    /// Whether content may be written to the disk.
    ///
    /// - Parameter tiers: Where the request writes this kind of content.
    func mayStore(_ tiers: CacheTiers) -> Bool {
        caches.writes != nil && tiers.contains(.disk) && allowsDisk && ruling?.mayKeep != false
    }

    /// Writes an entry to disk later, or before it returns when the request waits for that.
    func store(as name: CacheKey, number: Int, byteCount: Int, _ making: @escaping WriteBehind.Making) async {
        await writer.store(
            as: name, of: request.originalKey, number: number, byteCount: byteCount, waits: request.waitsForStores,
            handingOver(name, making))
    }

    /// What a variant or a file on disk says it was made from. A serializer makes the stored original differ from the
    /// one that the picture was made from, so nothing is said.
    func recordedGeneration(_ generation: ContentGeneration?) -> ContentGeneration? {
        request.cacheSerializer == nil ? generation : nil
    }

    /// Removes what memory holds of earlier content of the address, if the request may write there.
    func forgetOthers(than generation: ContentGeneration, number: Int) {
        let writes = request.cacheWrites
        guard writes.original.union(writes.variant).union(writes.file).contains(.memory), ruling?.mayKeep != false
        else { return }
        writer.forgetOthers(than: generation, number: number, of: request.originalKey)
    }

    /// Stores the product in memory.
    func remember(_ value: P.Value) { remember(value.inMemory, as: product.memoryKey(name), writes) }

    /// Stores the picture in memory, also for a load that makes a file of it: another load need not decode it.
    func rememberPicture(_ picture: ImageResponse) {
        guard product.format == nil || pipeline.configuration.keepsPicturesOfFiles else { return }
        remember(picture.inMemory, as: .picture(request.variantKey), request.cacheWrites.variant)
    }

    /// Stores a view of the original in memory.
    func remember(_ view: CachedPicture, as key: MemoryKey, _ tiers: CacheTiers) {
        guard tiers.contains(.memory), ruling?.mayKeep != false else { return }
        writer.remember(view, as: key, of: request.originalKey)
    }
}
