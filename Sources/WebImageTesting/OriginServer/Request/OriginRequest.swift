// SPDX-License-Identifier: MIT
public import HTTPTransport

/// A request as it was received.
public struct OriginRequest: Sendable, Hashable {
    /// The place of the request among all that the server read, from 1.
    public internal(set) var number: Int
    /// The number of requests for the same path including this one, from 1.
    public internal(set) var attempt: Int
    /// The number of the connection, from 1 in the order of acceptance.
    public let connection: Int
    /// The method, as sent.
    public let method: String
    /// The request target, as sent: usually path and query, the whole URL when the client takes the server for a proxy.
    public let target: String
    /// The part of the target before the query, percent-encoding untouched, without scheme and authority.
    public let path: String
    /// The part of the target after the first `?`; `nil` when there is none.
    public let query: String?
    /// The protocol, `HTTP/1.1` or `HTTP/1.0`.
    public let version: String
    /// The header fields, as sent.
    public let headers: HTTPHeaders
    /// The beginning of the body, after removal of the chunked coding, up to
    /// ``OriginServer/Configuration/maximumRecordedBodyByteCount``.
    public internal(set) var body: [UInt8]
    /// The size of the whole body.
    public internal(set) var bodyByteCount: Int
}
