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

    /// Stores a new original, after it has been decoded: every file in a cache is a picture. On disk, or without one in
    /// memory, so that another variant needs no second transfer.
    func keep(_ original: Original, _ made: JobProduct) async {
        let generation = made.generation ?? original.generation
        guard original.arrival == .network else { return }
        if let ruling, !ruling.mayKeep { await forget() }
        forgetOthers(than: generation, number: original.number)
        if caches.disk == nil, request.cacheSerializer == nil {
            var file = original.encoded(made.properties, made.damage)
            file.generation = generation
            let view = CachedPicture.encoded(Shared(file.from(.memory)))
            remember(view, as: .file(request.originalKey), request.cacheWrites.original)
        }
        guard mayStore(request.cacheWrites.original) else { return }
        pipeline.hub.tell(request, .stored(byteCount: original.bytes.count))
        let (request, coders) = (request, pipeline.coders(for: request))
        let (properties, damage) = (made.properties, made.damage)
        let selectors = pipeline.selectors(of: original.origin, request)
        let byteCount = original.bytes.count + (original.origin?.heapByteCount ?? 0)
        await store(as: request.originalKey, number: original.number, byteCount: byteCount) {
            [original = original.uncounted] in
            guard let serializer = request.cacheSerializer else {
                return original.entry(properties, damage, url: request.url, selectors)
            }
            let bytes = try await serializer.part(original.encoded(properties, damage), request.url)
            return try original.replaced(by: bytes).entry(
                coders.properties(of: bytes), damage, url: request.url, selectors)
        }
    }

    /// Writes an entry to disk later, or before it returns when the request waits for that.
    func store(as name: CacheKey, number: Int, byteCount: Int, _ making: @escaping WriteBehind.Making) async {
        await writer.store(
            as: name, of: request.originalKey, number: number, byteCount: byteCount, waits: request.waitsForStores,
            request.lifetime, handingOver(name, making))
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
        writer.remember(view, as: key, of: request.originalKey, request.lifetime)
    }
}
