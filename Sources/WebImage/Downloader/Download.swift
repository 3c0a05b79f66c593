import Foundation
import HTTPTransport

/// A finished transfer: what the origin sent for one request identity.
public struct Download: Sendable {
    /// The status of the response: an accepted one, or 304 for a request with validators.
    public let status: Int
    /// The fields of the response.
    public let headers: HTTPHeaders
    /// The content, decompressed. Empty only for a 304.
    public let bytes: [UInt8]
    /// The number of the transfer. A transfer with a higher number began later.
    let number: Int
    /// The claim of the transfer. While a flight holds it, the order of the address's contents is remembered.
    var claim: ContentOrder.Claim?

    var isNotModified: Bool { status == 304 }
}
