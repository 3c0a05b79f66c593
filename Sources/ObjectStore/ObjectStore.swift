// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics
public import SharedStores
import WebImage

/// Entries in a bucket of S3, or of a service with its protocol, through libcurl, which signs the requests.
///
/// ```swift
/// let bucket = try ObjectStore(.init(service, bucket: "pictures"))
/// let cache = SharedCache(local: DiskCache(), stores: [redis, bucket])
/// ```
///
/// - It is slower than a `RedisStore` and takes larger entries, so name it after one. It has no leases.
/// - Objects are called after a digest of their key. They hold the whole key, which the cache compares.
/// - An object says when it ends, and is a miss from then on. The bucket removes it by a lifecycle rule of its own.
/// - The key needs the right to list the bucket: without it, S3 answers 403 for an object that is missing.
public final class ObjectStore: SharedStore {
    /// The place and the limits of a store.
    public struct Configuration: Sendable {
        /// The service.
        public var service: ObjectService
        /// The bucket, which exists.
        public var bucket: String
        /// Begins each name. Programs with one prefix share their entries. `swi1/` by default.
        public var prefix = "swi1/"
        /// How long a read may take. 300 ms by default.
        public var readTimeout: Duration = .milliseconds(300)
        /// How long a write may take. 10 s by default.
        public var writeTimeout: Duration = .seconds(10)
        /// The number of writes at a time. 4 by default.
        public var writeWidth = 4
        /// The largest original that is stored, in bytes. 32 MiB by default.
        public var maximumOriginalByteCount = 32 << 20
        /// The largest file that is stored, in bytes. 8 MiB by default.
        public var maximumFileByteCount = 8 << 20
        /// The client for the requests. Redirects are not followed and all addresses are allowed, whatever it says.
        public var transport = HTTPClient.Configuration()
        var now: @Sendable () -> Duration = DiskCache.Configuration.systemTime

        /// Creates a configuration with the defaults.
        public init(_ service: ObjectService, bucket: String) { (self.service, self.bucket) = (service, bucket) }
    }

    private let configuration: Configuration
    private let client: HTTPClient

    /// Creates a store. The bucket is not asked for before the first call.
    ///
    /// - Throws: `SharedStoreError` with code `.unsupported` for a bucket or a prefix that cannot be.
    public convenience init(_ configuration: Configuration) throws(SharedStoreError) {
        try self.init(configuration, HTTPClient(configuration: configuration.transport.trustingEndpoint()))
    }

    init(_ configuration: Configuration, _ client: HTTPClient) throws(SharedStoreError) {
        _ = try configuration.service.url(of: configuration.prefix + "name", in: configuration.bucket)
        self.configuration = configuration
        self.client = client
    }

    /// What the store is good for.
    public var traits: SharedStoreTraits {
        SharedStoreTraits(
            name: "s3", maximumOriginalByteCount: configuration.maximumOriginalByteCount,
            maximumFileByteCount: configuration.maximumFileByteCount,
            readTimeout: configuration.readTimeout, writeTimeout: configuration.writeTimeout,
            writeWidth: configuration.writeWidth)
    }

    /// The bytes stored under `key`, unless their time is over.
    public func bytes(for key: SharedKey) async throws -> [UInt8]? {
        let response = try await send(try request("GET", key), within: configuration.readTimeout)
        guard try await isFound(response) else { return nil }
        guard let end = response.headers[Self.endField].flatMap({ Int64($0) }),
            .seconds(end) > configuration.now()
        else { return nil }
        // The key and what is known about the content stand before it.
        let limit = max(configuration.maximumOriginalByteCount, configuration.maximumFileByteCount)
        return try await mapped { try await response.body.collect(upTo: max(0, min(limit, .max >> 1)) + (1 << 20)) }
    }

    /// Stores bytes.
    public func store(_ bytes: [UInt8], for key: SharedKey, lifetime: Duration) async throws {
        var request = try request("PUT", key)
        let seconds = min(max(1, lifetime.wholeSeconds), 10_000_000_000)
        request.headers = [
            "Content-Type": "application/octet-stream", "x-amz-content-sha256": Digest.text(of: bytes),
            Self.endField: String((configuration.now() + .seconds(seconds)).wholeSeconds),
        ]
        request.body = bytes
        let response = try await send(request, within: configuration.writeTimeout)
        guard try await isFound(response) else { throw trouble(404, code: nil) }
    }

    /// Removes what is stored under `key`.
    public func remove(_ key: SharedKey) async throws {
        let response = try await send(try request("DELETE", key), within: configuration.writeTimeout)
        _ = try await isFound(response)
    }

    /// Ends the connections and the thread.
    public func shutdown() async { await client.shutdown() }

    // MARK: - Requests

    /// When an object ends, in seconds since 1970.
    private static let endField = "x-amz-meta-expires"

    private func request(_ method: String, _ key: SharedKey) throws(SharedStoreError) -> HTTPRequest {
        try configuration.service.request(method, configuration.prefix + key.description, in: configuration.bucket)
    }

    private func send(_ request: HTTPRequest, within limit: Duration) async throws -> HTTPResponse {
        var request = request
        request.options.totalTimeout = limit
        return try await mapped { [request] in try await client.send(request) }
    }

    /// Whether the answer is about an object that is there.
    ///
    /// - Throws: `SharedStoreError` for every answer that is none.
    private func isFound(_ response: HTTPResponse) async throws -> Bool {
        if (200...299).contains(response.status) { return true }
        let body = try? await response.body.collect(upTo: 16 << 10)
        let code = body.flatMap(Self.code)
        if response.status == 404, code != "NoSuchBucket" { return false }
        throw trouble(response.status, code: code)
    }

    private func trouble(_ status: Int, code: String?) -> SharedStoreError {
        SharedStoreError(
            code: status >= 500 || status == 429 ? .unreachable : .refused,
            message: "The bucket \"\(configuration.bucket)\" at \(configuration.service.endpoint) answers \(status)"
                + (code.map { " (\($0))" } ?? "") + "; check key, region, bucket and clock.")
    }

    private nonisolated(nonsending) func mapped<Value>(
        _ call: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        do { return try await call() } catch let error as HTTPError {
            let code: SharedStoreError.Code =
                switch error.code {
                case .timedOut: .timedOut
                case .shutDown: .shutDown
                case .invalidRequest: .unsupported
                case .bodyTooLarge, .invalidResponse: .malformed
                default: .unreachable
                }
            throw SharedStoreError(code: code, message: "\(configuration.service.endpoint): \(error.message)")
        }
    }

    /// The code in the document of an error.
    private static func code(_ document: [UInt8]) -> String? {
        let parts = String(decoding: document, as: UTF8.self).split(separator: "<Code>", maxSplits: 1)
        let name = parts.count == 2 ? parts[1].prefix { $0.isASCII && $0.isLetter } : ""
        return (1...64).contains(name.count) ? String(name) : nil
    }
}

extension HTTPClient.Configuration {
    /// For requests to an endpoint, which the program names: nothing leads away from it, and it may be anywhere.
    func trustingEndpoint() -> Self {
        var configuration = self
        configuration.addressPolicy = .unrestricted
        configuration.maximumRedirects = 0
        return configuration
    }
}
