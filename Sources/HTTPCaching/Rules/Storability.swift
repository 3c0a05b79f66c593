// SPDX-License-Identifier: MIT
public import HTTPTransport

/// Why a cache must not keep a response.
package enum StorageRefusal: Sendable, Hashable, CaseIterable {
    /// The method is not GET, and the response is not one of a POST that says how it answers a later GET.
    case method
    /// The status is interim, 206 or 304, or no status at all.
    case status
    /// The request says `no-store`.
    case requestSaysNoStore
    /// The response says `no-store`.
    case responseSaysNoStore
    /// The response says `must-understand` with a status that this module does not know.
    case notUnderstood
    /// The response says `private`, and the cache is shared.
    case isPrivate
    /// The request has a credential, the cache is shared, and the response does not allow that.
    case isAuthorized
    /// Neither a lifetime, nor `public`, nor a status that is cacheable by itself.
    case notCacheable
    /// No later request can select it.
    case cannotBeSelected
}

extension HTTPCacheRules {
    /// Why a response must not be kept; `nil` when it may be, without the fields that ``entry(for:_:)`` leaves out.
    ///
    /// - Parameters:
    ///   - response: A final response whose body is complete.
    ///   - request: What it answers.
    /// - Complexity: O(number of fields + bytes of the directives).
    /// - Source: RFC 9111, sections 3, 3.3, 3.5, 5.2.1.5 and 5.2.2.3; RFC 9110, section 9.3.3.
    package func refusal(of response: ResponseHead, to request: HTTPRequest) -> StorageRefusal? {
        let (control, isTargeted) = effective(response.headers)
        if let refusal = prohibition(of: response, to: request, control) { return refusal }
        let hasLifetime =
            control.maxAge != nil || (scope == .shared && control.sharedMaxAge != nil)
            || (!isTargeted && response.headers.contains(name: "Expires"))
        switch request.method {
        case "GET": break
        case "POST" where hasLifetime && answersLaterGet(response, request): break
        default: return .method
        }
        let isAllowed =
            hasLifetime || control.isPublic || (scope == .private && control.isPrivate != nil)
            || Self.heuristicStatuses.contains(response.status)
        guard isAllowed else { return .notCacheable }
        return selectors(for: request.headers, in: response.headers) == nil ? .cannotBeSelected : nil
    }

    /// What forbids to keep a response, whether or not it is cacheable.
    private func prohibition(
        of response: ResponseHead, to request: HTTPRequest, _ control: CacheControl
    ) -> StorageRefusal? {
        guard (200...599).contains(response.status), response.status != 206, response.status != 304 else {
            return .status
        }
        if RequestCacheControl(request.headers).noStore { return .requestSaysNoStore }
        let isUnderstood = Self.understoodStatuses.contains(response.status)
        if control.mustUnderstand, !isUnderstood { return .notUnderstood }
        if control.noStore, !control.mustUnderstand { return .responseSaysNoStore }
        guard scope == .shared else { return nil }
        if control.isPrivate == .response { return .isPrivate }
        let hasCredential = request.headers.contains(name: "Authorization") || request.options.credential != nil
        let allowsSharing = control.isPublic || control.mustRevalidate || control.sharedMaxAge != nil
        return hasCredential && !allowsSharing ? .isAuthorized : nil
    }

    /// Whether the response to a POST says that it is what a GET of the same address answers.
    private func answersLaterGet(_ response: ResponseHead, _ request: HTTPRequest) -> Bool {
        guard response.status == 200, let location = response.headers["Content-Location"] else { return false }
        return CacheTarget(request.url)?.resolving(location) == CacheTarget(request.url)
    }

    /// The entry to keep for a response; `nil` when it must not be kept.
    ///
    /// Fields of the connection, of the proxy, and those that `no-cache` or, in the shared scope, `private` name are
    /// left out. The entry answers later GET and HEAD requests of the same address.
    ///
    /// - Complexity: O(number of fields + bytes of the directives).
    /// - Source: RFC 9111, sections 3.1, 5.2.2.4 and 5.2.2.7.
    public func entry(for request: HTTPRequest, _ response: ResponseHead) -> StoredResponse? {
        guard refusal(of: response, to: request) == nil,
            let selectors = selectors(for: request.headers, in: response.headers)
        else { return nil }
        var head = response
        head.headers = response.headers.without(unstoredFields(response.headers))
        return StoredResponse(head: head, selectors: selectors)
    }

    /// The fields that are not kept, in lower case.
    func unstoredFields(_ headers: HTTPHeaders) -> Set<String> {
        var names = headers.connectionFields
        let control = directives(of: headers)
        if case .fields(let listed)? = control.noCache { names.formUnion(listed) }
        if scope == .shared, case .fields(let listed)? = control.isPrivate { names.formUnion(listed) }
        return names
    }

    /// The final statuses of RFC 9110, section 15, and 421, 422, 425, 428, 429, 431, 451 and 511, whose rules this
    /// module meets.
    private static let understoodStatuses: Set<Int> = Set([
        200, 201, 202, 203, 204, 205, 300, 301, 302, 303, 307, 308, 421, 422, 425, 426, 428, 429, 431, 451, 511,
    ]).union(400...417).union(500...505)
}
