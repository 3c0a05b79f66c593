// SPDX-License-Identifier: MIT
/// The rules of HTTP for caches, as functions of values: without I/O, without a clock, without state.
///
/// A cache asks ``decide(_:stored:now:)-(_,[StoredResponse],_)`` what to do with a request, ``entry(for:_:)`` what to
/// keep of a response, ``freshen(_:by:of:after:)`` what a 304 changes, and ``invalidated(by:of:)`` what an unsafe
/// method ends.
///
/// Fields are untrusted: numbers saturate, a field of more than 65,536 bytes counts as the most restrictive one, and
/// the work is in proportion to the bytes of the fields.
///
/// - Source: RFC 9111 (caching), 9110 (semantics), 5861 (stale), 8246 (immutable), 9213 (targeted fields), 9211
///   (`Cache-Status`).
public struct HTTPCacheRules: Sendable, Hashable {
    /// Which users a cache serves.
    public enum Scope: Sendable, Hashable {
        /// One user, as a browser's cache does.
        case `private`
        /// Several users. Directives such as `private` and `s-maxage` address it.
        /// - Source: RFC 9111, section 1.
        case shared
    }

    /// Which fields of a request may tell the variants of a response apart.
    public enum VaryFields: Sendable, Hashable {
        /// These, in lower case.
        case only(Set<String>)
        /// All that carry no credential.
        case anyWithoutCredentials

        /// Fields that negotiate the content.
        public static let negotiation = VaryFields.only([
            "accept", "accept-charset", "accept-encoding", "accept-language", "device-memory", "dpr", "origin",
            "save-data", "sec-ch-device-memory", "sec-ch-dpr", "sec-ch-viewport-width", "sec-ch-width", "user-agent",
            "viewport-width", "width",
        ])
    }

    /// Which users the cache serves.
    public var scope: Scope
    /// The targeted fields that address this cache, the most specific one first. Default: `CDN-Cache-Control` in the
    /// shared scope, none in the private one.
    /// - Source: RFC 9213, section 2.2.
    public var targetedFields: [String]
    /// The share of the time since the last modification that a response without an explicit lifetime is fresh, in
    /// percent. Default: 10.
    /// - Source: RFC 9111, section 4.2.2.
    public var heuristicPercentage = 10
    /// The longest lifetime that is not explicit, in seconds. Default: one day.
    public var longestHeuristicLifetime = 86_400
    /// The lifetime of a 404 or 410 that has no explicit one and no `Last-Modified`, in seconds. Default: 60.
    /// - Source: RFC 9111, section 4.2.2; RFC 9110, sections 15.5.5 and 15.5.11.
    public var negativeLifetime = 60
    /// How long after its end a response stands in for a failing origin when neither side says, in seconds. Default: 0.
    /// - Source: RFC 9111, section 4.2.4.
    public var staleIfErrorByDefault = 0
    /// Which fields tell variants apart. Default: ``VaryFields/negotiation``.
    public var varyFields = VaryFields.negotiation
    /// Further fields that carry credentials, in lower case, besides `Authorization`, `Cookie` and
    /// `Proxy-Authorization`. Default: empty.
    public var credentialFields: Set<String> = []
    /// How far in the future the time of a response may lie before it is not believed, in seconds. Default: 60.
    public var clockTolerance = 60

    /// Creates the rules of a scope, with the defaults.
    public init(scope: Scope) {
        self.scope = scope
        targetedFields = scope == .shared ? ["CDN-Cache-Control"] : []
    }

    /// The rules of a cache for one user.
    public static let `private` = HTTPCacheRules(scope: .private)
    /// The rules of a cache for several users.
    public static let shared = HTTPCacheRules(scope: .shared)
}
