// SPDX-License-Identifier: MIT
public import HTTPTransport

/// What a cache does with a request.
public enum CacheDecision: Sendable, Hashable {
    /// The stored response is fresh: it is the answer.
    case useFresh(Selection)
    /// The stored response is the answer although it is stale. The cache validates it meanwhile, whether the caller
    /// stays or not. One without a validator is asked for again as a whole, by a request without conditions.
    /// - Source: RFC 5861, section 3.
    case useWhileRevalidating(Selection, Revalidation)
    /// The stored response is the answer although it is stale: the request accepts it, or asks for nothing newer.
    /// - Source: RFC 9111, section 4.2.4.
    case useStale(Selection)
    /// The origin is asked whether the stored response is still valid.
    case revalidate(Selection, Revalidation)
    /// The request goes to the origin as it is.
    case forward(ForwardReason)
    /// The answer is 504, because the request asks for a stored response alone and none suits.
    /// - Source: RFC 9111, section 5.2.1.7.
    case gatewayTimeout(ForwardReason)

    /// Why a request needs the origin. The raw values are those of `fwd` in `Cache-Status`.
    /// - Source: RFC 9211, section 2.2.
    public enum ForwardReason: String, Sendable, Hashable, CaseIterable {
        /// The cache does not handle such requests.
        case bypass
        /// The method cannot be answered by a cache.
        case method
        /// Nothing is stored for the address.
        case uriMiss = "uri-miss"
        /// What is stored for the address answers other requests.
        case varyMiss = "vary-miss"
        /// Nothing suitable is stored, for an unnamed reason.
        case miss
        /// The stored response is fresh, but the request does not accept it.
        case request
        /// The stored response is stale, invalidated, or says `no-cache`.
        case stale
        /// A part of the response is stored.
        case partial
    }
}

/// The stored response that a request selects.
public struct Selection: Sendable, Hashable {
    /// Its position among the stored responses.
    public let index: Int
    /// Its age, in seconds.
    public let age: Int
    /// How long it is fresh.
    public let lifetime: FreshnessLifetime
    /// Whether the answer is 304, by the request's own conditions.
    /// - Source: RFC 9111, section 4.3.2.
    public let isNotModified: Bool
    /// The fields that must not be sent without validation, in lower case; usually none.
    /// - Source: RFC 9111, section 5.2.2.4.
    package let withheldFields: Set<String>

    /// The seconds for which it is still fresh; negative for a stale one.
    public var secondsToLive: Int { lifetime.seconds - age }
    /// Whether it is fresh.
    /// - Source: RFC 9111, section 4.2.
    package var isFresh: Bool { lifetime.seconds > age }

    /// The fields of the answer: the stored ones, with `Age`, without what is withheld.
    ///
    /// - Parameter stored: The selected response.
    /// - Complexity: O(number of fields).
    /// - Source: RFC 9111, sections 4 and 5.1.
    public func fields(of stored: StoredResponse) -> HTTPHeaders {
        var fields = stored.head.headers.without(withheldFields)
        fields["Age"] = String(min(age, DeltaSeconds.largest))
        return fields
    }
}

/// The conditions with which a cache asks the origin.
public struct Revalidation: Sendable, Hashable {
    /// Why the origin is asked.
    public let reason: CacheDecision.ForwardReason
    /// `If-None-Match` with the entity tag and `If-Modified-Since` with `Last-Modified`, whichever the stored response
    /// has; none for one that has neither. They replace the request's own.
    public let fields: HTTPHeaders
    /// Whether the conditions are the cache's alone: then every 304 confirms the stored response.
    public let isOursAlone: Bool

    /// The request to send: with the conditions, and without the range.
    ///
    /// - Source: RFC 9111, section 4.3.1.
    public func request(for request: HTTPRequest) -> HTTPRequest {
        var conditional = request
        for name in ["If-None-Match", "If-Modified-Since", "Range", "If-Range"] { conditional.headers[name] = nil }
        for field in fields { conditional.headers.append(name: field.name, value: field.value) }
        return conditional
    }
}
