import Foundation
import HTTPTransport

/// A finished transfer: what the origin sent for one request identity.
public struct Download: Sendable {
    /// The status of the answer: one of the accepted ones, or 304 for a request that sent validators.
    public let status: Int
    /// The fields of the answer.
    public let headers: HTTPHeaders
    /// The content, decompressed. Empty only for a 304.
    public let bytes: [UInt8]
    /// Counts the transfers: a higher number began later.
    let number: Int
    /// That of the transfer: while a flight holds it, the order of the address's contents is remembered.
    var claim: ContentOrder.Claim?

    var isNotModified: Bool { status == 304 }
}
