/// Who shares a flight of the manager: the same bytes from the origin, the same name in the caches, the same
/// treatment on the way.
///
/// The identity is part of it although the variant's key usually covers it: two requests may choose one cache key and
/// still carry different credentials.
struct LoadKey: Sendable, Hashable, CustomStringConvertible {
    let variant: CacheKey
    /// Whether the flight must bring the original file, which a memory hit does not have.
    let wantsOriginal: Bool
    private let request: ImageRequest

    init(_ request: ImageRequest, variant: CacheKey, wantsOriginal: Bool = false) {
        self.request = request
        self.variant = variant
        self.wantsOriginal = wantsOriginal
    }

    static func == (one: LoadKey, other: LoadKey) -> Bool {
        guard one.variant == other.variant, one.wantsOriginal == other.wantsOriginal else { return false }
        let (one, other) = (one.request, other.request)
        return RequestIdentity(one) == RequestIdentity(other) && one.cachePolicy == other.cachePolicy
            && one.cacheReads == other.cacheReads && one.cacheWrites == other.cacheWrites
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(variant)
        hasher.combine(RequestIdentity(request))
    }

    var description: String { variant.rawValue }
}
