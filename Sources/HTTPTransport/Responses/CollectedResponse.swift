// SPDX-License-Identifier: MIT
public import PlatformBasics

/// A response with its whole body: a value without ties to the client.
public struct CollectedResponse: Sendable, Hashable {
    /// The status code.
    public let status: Int
    /// The fields of the head.
    public let headers: HTTPHeaders
    /// The URL of the response, after redirects.
    public let url: URL
    /// The body, decompressed.
    public let bytes: [UInt8]
    /// The measurements of the whole transfer.
    public let metrics: HTTPMetrics

    /// Creates a response, for tests.
    public init(
        status: Int = 200, headers: HTTPHeaders = [:], url: URL, bytes: [UInt8], metrics: HTTPMetrics = HTTPMetrics()
    ) {
        self.status = status
        self.headers = headers
        self.url = url
        self.bytes = bytes
        self.metrics = metrics
    }
}

extension HTTPResponse {
    /// Reads the whole body.
    ///
    /// - Parameter limit: The largest number of bytes to accept.
    /// - Throws: As ``HTTPBody/collect(upTo:)``.
    /// - Complexity: As ``HTTPBody/collect(upTo:)``.
    public func collected(upTo limit: Int) async throws -> CollectedResponse {
        let bytes = try await body.collect(upTo: limit)
        return CollectedResponse(status: status, headers: headers, url: url, bytes: bytes, metrics: metrics)
    }
}
