// SPDX-License-Identifier: MIT
public import HTTPTransport

/// What a cache did with a request, as one member of a `Cache-Status` field.
///
/// - Source: RFC 9211, section 2.
public struct CacheStatus: Sendable, Hashable {
    /// The name of the cache.
    public var cache: String
    /// Whether the answer came from the cache without the origin (section 2.1).
    public var isHit = false
    /// Why the request went to the origin (section 2.2).
    public var forward: CacheDecision.ForwardReason?
    /// The status with which the origin answered the cache (section 2.3).
    public var forwardStatus: Int?
    /// The seconds for which the response is still fresh; negative for a stale one (section 2.4).
    public var secondsToLive: Int?
    /// Whether the cache kept the response (section 2.5).
    public var isStored = false
    /// Whether the request shared the transfer of another (section 2.6).
    public var isCollapsed = false
    /// The key of the entry (section 2.7).
    public var key: String?
    /// Anything else (section 2.8).
    public var detail: String?

    /// Creates the facts of a cache that has done nothing yet.
    public init(cache: String) { self.cache = cache }

    /// Creates the facts of a decision.
    ///
    /// - Parameters:
    ///   - decision: What the cache decided.
    ///   - cache: The name of the cache.
    public init(_ decision: CacheDecision, cache: String) {
        self.cache = cache
        switch decision {
        case .useFresh(let selection), .useStale(let selection), .useWhileRevalidating(let selection, _):
            isHit = true
            secondsToLive = selection.secondsToLive
        case .revalidate(_, let revalidation): forward = revalidation.reason
        case .forward(let reason): forward = reason
        case .gatewayTimeout: detail = "only-if-cached"
        }
    }
}

extension CacheStatus: CustomStringConvertible {
    /// The member as text, such as `ExampleCache; hit; ttl=376`.
    ///
    /// Bytes that such a text cannot carry become question marks. ``key`` and ``detail`` are cut at 1,024 bytes.
    /// - Source: RFC 9211, section 2; RFC 9651, section 4.1.
    public var description: String {
        var text = Self.isToken(cache) ? cache : Self.quoted(cache)
        if isHit { text += "; hit" }
        if !isHit, let forward {
            text += "; fwd=\(forward.rawValue)"
            if let forwardStatus { text += "; fwd-status=\(forwardStatus)" }
        }
        if let secondsToLive { text += "; ttl=\(secondsToLive)" }
        if !isHit, forward != nil {
            if isStored { text += "; stored" }
            if isCollapsed { text += "; collapsed" }
        }
        if let key { text += "; key=" + Self.quoted(key) }
        if let detail { text += "; detail=" + (Self.isToken(detail) ? detail : Self.quoted(detail)) }
        return text
    }

    /// Adds the member behind those of the caches nearer to the origin.
    ///
    /// - Source: RFC 9211, section 2.
    public func append(to headers: inout HTTPHeaders) { headers.append(name: "Cache-Status", value: description) }

    private static func isToken(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 1_024 else { return false }
        let isFirst = first == UInt8(ascii: "*") || first.isASCIIAlphanumeric && !first.isASCIIDigit
        return isFirst && text.utf8.allSatisfy { $0.isTokenByte || $0 == 0x3A || $0 == 0x2F }
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for byte in text.utf8.prefix(1_024) {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): quoted += "\\" + String(UnicodeScalar(byte))
            case 0x20...0x7E: quoted += String(UnicodeScalar(byte))
            default: quoted += "?"
            }
        }
        return quoted + "\""
    }
}
