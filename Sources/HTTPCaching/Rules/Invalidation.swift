// SPDX-License-Identifier: MIT
public import HTTPTransport

extension HTTPCacheRules {
    /// The addresses whose stored responses a response ends: the target of an unsafe method, and what `Location` and
    /// `Content-Location` name on the same origin.
    ///
    /// Every method is unsafe that is not known to be safe. The cache removes the entries, or sets
    /// ``StoredResponse/isInvalidated``.
    ///
    /// - Returns: Empty for a safe method, and for a status other than 2xx and 3xx.
    /// - Complexity: O(number of fields).
    /// - Source: RFC 9111, section 4.4; RFC 9110, section 9.2.1.
    public func invalidated(by response: ResponseHead, of request: HTTPRequest) -> Set<CacheTarget> {
        guard !Self.isSafe(request.method), (200...399).contains(response.status),
            let target = CacheTarget(request.url)
        else { return [] }
        var targets: Set = [target]
        for name in ["Location", "Content-Location"] {
            guard let reference = response.headers.values(for: name).first, let other = target.resolving(reference),
                other.origin == target.origin
            else { continue }
            targets.insert(other)
        }
        return targets
    }

    /// Whether a method is known not to change anything. Methods are compared with case.
    /// - Source: RFC 9110, section 9.2.1, and the registry of methods.
    static func isSafe(_ method: String) -> Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE", "PROPFIND", "REPORT", "SEARCH"].contains(method)
    }
}
