import HTTPTransport

/// Everything that changes the bytes an origin sends. Equal identities share one transfer.
///
/// The URL alone would hand one tenant's picture to another.
struct RequestIdentity: Sendable, Hashable {
    let url: CacheKey
    let method: String
    let headers: HTTPHeaders
    let body: [UInt8]?
    let modifier: String?

    init(_ request: ImageRequest) {
        url = request.urlKey
        method = request.method
        headers = request.headers
        body = request.body
        modifier = request.modifier?.identity
    }
}
