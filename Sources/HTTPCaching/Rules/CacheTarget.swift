// SPDX-License-Identifier: MIT
import HTTPTransport
public import PlatformBasics
import TaskCoordination

/// An address as caches compare it: the first key of an entry.
///
/// Scheme and host are in lower case, the default port, an empty path and the fragment are normalised.
/// - Source: RFC 9110, section 4.2.3; RFC 9111, section 2.
public struct CacheTarget: Sendable, Hashable, CustomStringConvertible {
    /// Scheme, host and port, such as `https://example.org:443`.
    /// - Source: RFC 9110, section 4.3.1.
    public let origin: String
    /// The path and the query.
    public let path: String
    private let url: URL

    /// Creates a target; `nil` for a URL that is not absolute, and for schemes other than `http` and `https`.
    public init?(_ url: URL) {
        let absolute = url.absoluteURL
        guard let scheme = absolute.scheme?.lowercased(), scheme == "http" || scheme == "https",
            let host = absolute.host(percentEncoded: true)?.lowercased(), !host.isEmpty
        else { return nil }
        let path = absolute.path(percentEncoded: true)
        origin = "\(scheme)://\(host):\(absolute.port ?? (scheme == "https" ? 443 : 80))"
        self.path = (path.isEmpty ? "/" : path) + (absolute.query(percentEncoded: true).map { "?" + $0 } ?? "")
        self.url = absolute
    }

    /// The address that a field of a response names, absolute or relative to this one; `nil` for none, and for one of
    /// more than 8,192 bytes.
    func resolving(_ reference: String) -> CacheTarget? {
        guard !reference.isEmpty, reference.utf8.count <= 8_192 else { return nil }
        return URL(string: reference, relativeTo: url).flatMap { CacheTarget($0) }
    }

    /// The whole address.
    public var description: String { origin + path }

    /// What the target keeps on the heap, in bytes.
    public var heapByteCount: Int { HeapSize.of(url) + HeapSize.of(origin) + HeapSize.of(path) }

    /// Whether both name the same origin, path and query.
    public static func == (first: CacheTarget, second: CacheTarget) -> Bool {
        first.origin == second.origin && first.path == second.path
    }

    /// Feeds origin, path and query.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(path)
    }
}
