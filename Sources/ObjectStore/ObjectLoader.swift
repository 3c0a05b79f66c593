// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics

/// Answers requests for `s3://bucket/key` with the objects of some buckets.
///
/// ```swift
/// let loader = HTTPLoaderChain(ObjectLoader(service, buckets: ["originals"]), HTTPClient())
/// ```
///
/// A key is percent-decoded once. Its address has no query, user or port.
public struct ObjectLoader: HTTPLoading {
    private let service: ObjectService
    private let buckets: Set<String>
    private let client: any HTTPLoading

    /// Creates a loader with a client of its own.
    ///
    /// - Parameters:
    ///   - service: The service that has the buckets.
    ///   - buckets: The buckets that may be read, whatever else the key of the service opens.
    ///   - transport: The client for the requests. Redirects are not followed and all addresses are allowed, whatever
    ///     it says.
    public init(
        _ service: ObjectService, buckets: Set<String>, transport: HTTPClient.Configuration = HTTPClient.Configuration()
    ) {
        self.init(service, buckets: buckets, client: HTTPClient(configuration: transport.trustingEndpoint()))
    }

    init(_ service: ObjectService, buckets: Set<String>, client: any HTTPLoading) {
        (self.service, self.buckets, self.client) = (service, buckets, client)
    }

    /// The object with the answer of the service, whose status is 404 for a key that is missing.
    ///
    /// The fields of the request are sent along, such as `If-None-Match` and `Range`.
    ///
    /// - Throws: `HTTPError` with code `.unsupportedURL` for an address that names no object, `.addressNotAllowed` for
    ///   another bucket, `.invalidRequest` for a method other than GET and HEAD, and what the client throws;
    ///   `CancellationError`.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard request.method == "GET" || request.method == "HEAD" else {
            throw HTTPError(code: .invalidRequest, message: "Objects are for GET and HEAD only.", url: request.url)
        }
        guard let (bucket, key) = Self.place(of: request.url), let url = try? service.url(of: key, in: bucket) else {
            throw HTTPError(
                code: .unsupportedURL, message: "An object is named as in s3://bucket/key.", url: request.url)
        }
        guard buckets.contains(bucket) else {
            throw HTTPError(
                code: .addressNotAllowed,
                message: "The bucket is none of this loader; add it if it may be read.", url: request.url)
        }
        var signed = request
        signed.url = url
        signed.options.credential = service.credential
        return try await client.send(signed)
    }

    /// `s3`.
    public var schemes: [String] { ["s3"] }

    /// Ends the client.
    public func shutdown() async { await client.shutdown() }

    /// The bucket and the key that an address names.
    private static func place(of url: URL) -> (bucket: String, key: String)? {
        guard url.scheme?.lowercased() == "s3", let bucket = url.host(percentEncoded: true), url.port == nil,
            url.user == nil, url.password == nil, url.query == nil, url.fragment == nil,
            let key = url.path(percentEncoded: true).dropFirst().percentDecoded
        else { return nil }
        return (bucket, key)
    }
}
