import Foundation
import HTTPTransport

/// Everything that changes the bytes an origin sends. Equal identities share one transfer.
///
/// The URL alone would hand one tenant's picture to another.
struct RequestIdentity: Sendable, Hashable {
    let request: HTTPRequest
    let modifier: String?

    init(_ request: ImageRequest) {
        self.request = HTTPRequest(
            url: request.url, method: request.method, headers: request.headers, body: request.body)
        modifier = request.modifier?.identity
    }
}
