// SPDX-License-Identifier: MIT
public import HTTPTransport

/// The head of a final response, as it arrived.
public struct ResponseHead: Sendable, Hashable {
    /// The status code.
    public var status: Int
    /// The fields, in order.
    public var headers: HTTPHeaders
    /// When the request was sent.
    public var requestTime: HTTPDate
    /// When the head arrived.
    public var responseTime: HTTPDate

    /// Creates a head.
    public init(status: Int, headers: HTTPHeaders, requestTime: HTTPDate, responseTime: HTTPDate) {
        self.status = status
        self.headers = headers
        self.requestTime = requestTime
        self.responseTime = responseTime
    }
}

/// What a cache knows about a response that it keeps.
public struct StoredResponse: Sendable, Hashable {
    /// The response, as of the last transfer that brought or confirmed it.
    public var head: ResponseHead
    /// The normalised values of the request's fields that `Vary` names, by lower-case name. A field that the request
    /// did not have is missing.
    /// - Source: RFC 9111, section 4.1.
    public var selectors: [String: String]
    /// Whether an unsafe method, or a HEAD that contradicts it, has ended the response. It must be validated then.
    /// - Source: RFC 9111, sections 4.3.5 and 4.4.
    public var isInvalidated: Bool

    /// Creates a value from what a cache has kept.
    ///
    /// For a response that has just arrived use ``HTTPCacheRules/entry(for:_:)``.
    public init(head: ResponseHead, selectors: [String: String] = [:], isInvalidated: Bool = false) {
        self.head = head
        self.selectors = selectors
        self.isInvalidated = isInvalidated
    }

    /// The time at which the origin says it answered; that of the arrival without a valid `Date`.
    /// - Source: RFC 9110, section 6.6.1.
    public var date: HTTPDate { head.date("Date") ?? head.responseTime }

    /// The fields that ask the origin whether the response is still valid: `If-None-Match` with the entity tag and
    /// `If-Modified-Since` with `Last-Modified`, whichever it has.
    /// - Source: RFC 9111, section 4.3.1; RFC 9110, sections 13.1.2 and 13.1.3.
    public var validators: HTTPHeaders {
        var fields = HTTPHeaders()
        if let entityTag { fields["If-None-Match"] = entityTag.text }
        if let modified = head.headers.values(for: "Last-Modified").first, head.date("Last-Modified") != nil {
            fields["If-Modified-Since"] = modified
        }
        return fields
    }

    /// The first `ETag`; `nil` for none, and for one that cannot be sent back.
    var entityTag: EntityTag? { head.entityTag }
}

extension ResponseHead {
    /// The value of a date; `nil` when it is missing, no date, or two different dates.
    func date(_ name: String) -> HTTPDate? {
        let values = headers.values(for: name)
        guard let first = values.first, values.dropFirst().allSatisfy({ $0 == first }) else { return nil }
        return HTTPDate(first, receivedAt: responseTime)
    }

    var entityTag: EntityTag? { headers.values(for: "ETag").first.flatMap { EntityTag($0) } }
}

extension StoredResponse {
    /// Whether a request's own conditions say that its sender has this response already.
    ///
    /// `If-None-Match` goes before `If-Modified-Since`. Conditions that are for the origin alone are not looked at.
    ///
    /// - Returns: `false` for a response whose status is not 200.
    /// - Complexity: O(bytes of the conditions + number of fields).
    /// - Source: RFC 9111, section 4.3.2; RFC 9110, sections 13.1.2, 13.1.3 and 13.2.2.
    public func isNotModified(for request: HTTPRequest) -> Bool {
        guard head.status == 200, request.method == "GET" || request.method == "HEAD" else { return false }
        if request.headers.contains(name: "If-None-Match") {
            let values = request.headers.values(for: "If-None-Match")
            let tags = EntityTag.list(values)
            if tags.contains(where: { $0.opaque == ArraySlice("*".utf8) }) { return tags.count == 1 }
            guard let entityTag else { return false }
            return tags.contains { $0.matchesWeakly(entityTag) }
        }
        let values = request.headers.values(for: "If-Modified-Since")
        guard values.count == 1, let since = HTTPDate(values[0], receivedAt: head.responseTime) else { return false }
        return (head.date("Last-Modified") ?? date) <= since
    }
}
