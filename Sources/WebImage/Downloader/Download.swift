// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics

/// A finished transfer: what the origin sent for one request identity.
public struct Download: Sendable {
    /// The head of the response: an accepted status, or 304 for a request with validators.
    public let origin: OriginResponse
    /// The content, decompressed. Empty only for a 304.
    public let bytes: [UInt8]
    /// The number of the transfer. A transfer with a higher number began later.
    let number: Int
    /// The claim of the transfer. While a flight holds it, the order of the address's contents is remembered.
    var claim: ContentOrder.Claim?
    /// The part of the memory for pictures that the bytes hold; `nil` for a downloader without a manager.
    var share: OriginalShare?

    /// The status of the response.
    public var status: Int { origin.status }
    /// The fields of the response.
    public var headers: HTTPHeaders { origin.headers }

    var isNotModified: Bool { status == 304 }
}
