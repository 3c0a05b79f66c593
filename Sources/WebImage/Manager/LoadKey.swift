/// Who shares a flight of the manager: the same bytes from the origin, the same name in the caches, the same
/// treatment on the way.
///
/// The identity is part of it although the variant's key usually covers it: two requests may choose one cache key and
/// still carry different credentials.
struct LoadKey: Sendable, Hashable, CustomStringConvertible {
    let identity: RequestIdentity
    let variant: CacheKey
    let policy: CachePolicy
    let reads: CacheTiers
    let writes: CacheTiers
    /// Whether the flight must bring the original file, which a memory hit does not have.
    let wantsOriginal: Bool

    init(_ request: ImageRequest, variant: CacheKey, wantsOriginal: Bool = false) {
        identity = RequestIdentity(request)
        self.variant = variant
        policy = request.cachePolicy
        reads = request.cacheReads
        writes = request.cacheWrites
        self.wantsOriginal = wantsOriginal
    }

    var description: String { variant.rawValue }
}
