/// Everything that changes the bytes an origin sends. Equal identities share one transfer.
///
/// The URL alone would hand one tenant's picture to another. Credentials are in the URL, the fields or the modifier; so are
/// cookies, of which the transport keeps none itself.
struct RequestIdentity: Sendable, Hashable {
    private let request: ImageRequest

    init(_ request: ImageRequest) { self.request = request }

    static func == (one: RequestIdentity, other: RequestIdentity) -> Bool {
        let (one, other) = (one.request, other.request)
        if one.isCopy(of: other) { return true }
        return one.urlKey == other.urlKey && one.method == other.method && one.headers == other.headers
            && one.body == other.body && one.modifier?.identity == other.modifier?.identity
    }

    /// What differs between many requests at a time: pictures, and tenants.
    func hash(into hasher: inout Hasher) {
        hasher.combine(request.urlKey)
        guard !request.isAnonymous else { return }
        hasher.combine(request.headers)
        hasher.combine(request.modifier?.identity)
    }
}
