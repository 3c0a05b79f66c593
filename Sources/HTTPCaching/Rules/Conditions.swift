// SPDX-License-Identifier: MIT
public import HTTPTransport

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
