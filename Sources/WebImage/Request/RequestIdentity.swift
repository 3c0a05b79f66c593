/// Everything that changes the bytes an origin sends. Equal identities share one transfer.
///
/// The URL alone would hand one tenant's picture to another. Credentials are in the URL, the fields or the modifier; so are
/// cookies, of which the transport keeps none itself.
struct RequestIdentity: Sendable, Hashable {
    private let request: ImageRequest

    init(_ request: ImageRequest) { self.request = request }

    /// Compares bytes, as the keys of the caches do: requests that share a transfer have the same
    /// ``ImageRequest/transferKey``.
    static func == (one: RequestIdentity, other: RequestIdentity) -> Bool {
        let (one, other) = (one.request, other.request)
        if one.isCopy(of: other) { return true }
        return one.urlKey == other.urlKey && areSame(one.method, other.method) && one.headers == other.headers
            && one.body == other.body && areSame(one.modifier?.identity, other.modifier?.identity)
    }

    private static func areSame(_ one: String?, _ other: String?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        return one.utf8.elementsEqual(other.utf8)
    }

    /// What differs between many requests at a time: pictures, and tenants.
    func hash(into hasher: inout Hasher) {
        hasher.combine(request.urlKey)
        guard !request.isAnonymous else { return }
        hasher.combine(request.headers)
        hasher.combine(request.modifier?.identity)
    }
}
