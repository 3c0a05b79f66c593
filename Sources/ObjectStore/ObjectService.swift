// SPDX-License-Identifier: MIT
public import HTTPTransport
public import PlatformBasics
public import SharedStores

/// A service that keeps objects in buckets: S3, or one with its protocol, such as MinIO.
///
/// ```swift
/// let amazon = try ObjectService(region: "eu-central-1", keyID: keyID, secret: secret)
/// let minio = try ObjectService(endpoint: URL(string: "http://10.0.0.7:9000"), keyID: keyID, secret: secret)
/// ```
///
/// Its texts never contain the secret.
public struct ObjectService: Sendable, Hashable {
    /// Where an address names the bucket.
    public enum AddressStyle: String, Sendable, Hashable {
        /// `https://endpoint/bucket/key`.
        case path
        /// `https://bucket.endpoint/key`. A bucket with a dot is named in the path, because no certificate covers it.
        case host
    }

    /// Scheme, host and port.
    public let endpoint: URL
    /// Where an address names the bucket.
    public let style: AddressStyle
    /// What signs the requests; `nil` for public buckets.
    public let credential: HTTPCredential?

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - endpoint: Scheme, host and port; `nil` for that of Amazon S3 in the region.
    ///   - region: As the service calls it. `us-east-1` by default, which most other services take.
    ///   - style: By default the host for Amazon S3, and the path for an endpoint.
    ///   - keyID: The public name of the key; `nil` for public buckets.
    ///   - secret: The secret of the key.
    ///   - sessionToken: For keys that end after some hours. A new key needs a new value.
    /// - Throws: `SharedStoreError` with code `.unsupported`, which says what is wrong.
    public init(
        endpoint: URL? = nil, region: String = "us-east-1", style: AddressStyle? = nil, keyID: String? = nil,
        secret: String? = nil, sessionToken: String? = nil
    ) throws(SharedStoreError) {
        guard !region.isEmpty, region.utf8.allSatisfy({ Self.isNameByte($0) && $0 != UInt8(ascii: ".") }) else {
            throw .unsupported("A region has small letters, digits and hyphens, such as eu-central-1.")
        }
        guard (keyID == nil) == (secret == nil), sessionToken == nil || keyID != nil else {
            throw .unsupported("A key of S3 has a name and a secret, and may have a session token; give both, or none.")
        }
        let place = endpoint ?? URL(string: "https://s3.\(region).amazonaws.com")
        guard let place, ["http", "https"].contains(place.scheme?.lowercased()), place.user == nil,
            let host = URLComponents(url: place, resolvingAgainstBaseURL: true)?.encodedHost, !host.isEmpty,
            !host.contains("%"), ["", "/"].contains(place.path), place.query == nil, place.fragment == nil,
            let origin = URL(
                string: "\(place.scheme?.lowercased() ?? "")://\(host)\(place.port.map { ":\($0)" } ?? "")"),
            origin.host() == place.host(), origin.port == place.port
        else { throw .unsupported("An endpoint has a scheme, a host and a port alone: https://minio.example:9000.") }
        self.endpoint = origin
        self.style = style ?? (endpoint == nil ? .host : .path)
        credential = keyID.map {
            .s3(keyID: $0, secret: secret ?? "", region: region, sessionToken: sessionToken)
        }
    }

    /// The address of an object.
    ///
    /// - Parameters:
    ///   - bucket: 3 … 63 small letters, digits, hyphens and dots.
    ///   - key: 1 … 1,024 bytes of UTF-8, without `.` and `..` between slashes, which proxies resolve.
    /// - Throws: `SharedStoreError` with code `.unsupported`.
    public func url(of key: String, in bucket: String) throws(SharedStoreError) -> URL {
        guard Self.isBucket(bucket) else {
            throw .unsupported("A bucket has 3 to 63 small letters, digits, hyphens and dots.")
        }
        let segments = key.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard (1...1_024).contains(key.utf8.count), key.utf8.first != UInt8(ascii: "/"),
            !segments.contains(where: { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) })
        else {
            throw .unsupported("A key has 1 to 1,024 bytes, begins with no slash, and has no \".\" or \"..\" in it.")
        }
        let (scheme, isInHost) = ((endpoint.scheme ?? "") + "://", style == .host && !bucket.contains("."))
        let authority = endpoint.absoluteString.dropFirst(scheme.count)
        let place = isInHost ? "\(bucket).\(authority)/" : "\(authority)/\(bucket)/"
        guard let url = URL(string: scheme + place + Self.escaped(key)), url.scheme == endpoint.scheme,
            url.port == endpoint.port, url.host() == (isInHost ? bucket + "." : "") + (endpoint.host() ?? "")
        else {
            throw .unsupported("The endpoint, the bucket and the key make no URL.")
        }
        return url
    }

    /// A request for an object, signed when it is sent.
    func request(_ method: String, _ key: String, in bucket: String) throws(SharedStoreError) -> HTTPRequest {
        var request = HTTPRequest(url: try url(of: key, in: bucket), method: method)
        request.options.credential = credential
        request.options.decodesContent = false
        return request
    }

    /// Whether S3 allows a bucket to be called so.
    static func isBucket(_ name: String) -> Bool {
        (3...63).contains(name.utf8.count) && name.utf8.allSatisfy(isNameByte) && !name.contains("..")
            && !["-", "."].contains { name.hasPrefix($0) || name.hasSuffix($0) }
    }

    /// Every byte but letters, digits, `-._~` and slashes as `%XX`, as the signature wants it.
    private static func escaped(_ key: String) -> String {
        key.percentEncoded { $0.isASCIIAlphanumeric || "-._~/".utf8.contains($0) }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."): true
        default: false
        }
    }
}
