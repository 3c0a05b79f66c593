// SPDX-License-Identifier: MIT
public import HTTPTransport

/// What a 304, or the response to a HEAD, changes in a cache.
public struct Freshening: Sendable, Hashable {
    /// One stored response after the change.
    public struct Change: Sendable, Hashable {
        /// Its position among the stored responses.
        public let index: Int
        /// What to keep in its place. The body stays.
        public let response: StoredResponse
        /// What happens to the entry.
        public let action: Action
    }

    /// What happens to an entry that is changed.
    public enum Action: Sendable, Hashable {
        /// The changed response takes its place.
        case replace
        /// It stays as it was, because nothing about this request may be kept. The changed response is the answer.
        case leave
        /// It goes, because the new fields forbid to keep it. The changed response is the answer.
        case remove
    }

    /// The changes; empty when no stored response is concerned. A 304 is then an answer for the caller, or none.
    public let changes: [Change]
}

extension HTTPCacheRules {
    /// Applies a 304 to the stored responses that it confirms.
    ///
    /// A strong entity tag confirms every response with the same one; other validators confirm the most recent response
    /// with the same one. When both sides have an entity tag, `Last-Modified` is not looked at. A 304 without any
    /// validator confirms a single response that has none either, or the one that was asked about.
    ///
    /// - Parameters:
    ///   - stored: The responses that are stored for the address.
    ///   - response: The 304.
    ///   - request: What the caller asked for.
    ///   - revalidation: The conditions that were sent; `nil` for conditions of the caller's own.
    /// - Complexity: O(number of variants × number of fields).
    /// - Source: RFC 9111, sections 3.2, 4.3.3 and 4.3.4.
    public func freshen(
        _ stored: [StoredResponse], by response: ResponseHead, of request: HTTPRequest,
        after revalidation: Revalidation? = nil
    ) -> Freshening {
        let candidates = matching(request, stored)
        let confirmed = confirmed(candidates, of: stored, by: response, revalidation?.isOursAlone == true)
        return Freshening(changes: confirmed.map { change($0, stored[$0], response, request) })
    }

    /// Applies the response to a HEAD to the stored responses that it describes.
    ///
    /// A response whose validators and length agree is updated; another one is invalidated.
    ///
    /// - Parameters:
    ///   - stored: The responses that are stored for the address.
    ///   - response: The response to the HEAD. Only a 200 says anything.
    ///   - request: The HEAD.
    /// - Source: RFC 9111, section 4.3.5.
    public func freshen(
        _ stored: [StoredResponse], byHead response: ResponseHead, of request: HTTPRequest
    ) -> Freshening {
        guard request.method == "HEAD", response.status == 200 else { return Freshening(changes: []) }
        let changes = matching(request, stored).filter { stored[$0].head.status == 200 }.map { index in
            if agrees(stored[index].head, response) { return change(index, stored[index], response, request) }
            var ended = stored[index]
            ended.isInvalidated = true
            return Freshening.Change(index: index, response: ended, action: .replace)
        }
        return Freshening(changes: changes)
    }

    /// The fields of a stored response after a 304 or a HEAD.
    ///
    /// What describes the stored body stays: `Content-Length`, `Content-Encoding`, `Content-Type` and `Content-Range`.
    /// `Age` and `Date` go when the new response has none, because they speak of the old one. The order stays; new
    /// names come last.
    ///
    /// - Complexity: O(number of fields).
    /// - Source: RFC 9111, section 3.2.
    package func updated(_ stored: HTTPHeaders, with new: HTTPHeaders) -> HTTPHeaders {
        let kept = unstoredFields(new)
            .union(["content-encoding", "content-length", "content-range", "content-type"])
        func name(_ field: HTTPHeaders.Field) -> String { FieldText.lowercased(field.name.utf8) }
        let fresh = new.fields.filter { !kept.contains(name($0)) }
        var lines = Dictionary(grouping: fresh, by: name)
        let replaced = Set(lines.keys).union(["age", "date"])
        // In the place of the first old line of the name, or at the end.
        var fields = stored.fields.flatMap { field in
            replaced.contains(name(field)) ? lines.removeValue(forKey: name(field)) ?? [] : [field]
        }
        for field in fresh { fields += lines.removeValue(forKey: name(field)) ?? [] }
        return HTTPHeaders(fields)
    }

    private func change(
        _ index: Int, _ stored: StoredResponse, _ response: ResponseHead, _ request: HTTPRequest
    ) -> Freshening.Change {
        var renewed = stored
        renewed.head.headers = updated(stored.head.headers, with: response.headers)
        renewed.head.requestTime = response.requestTime
        renewed.head.responseTime = response.responseTime
        renewed.isInvalidated = false
        if let selectors = selectors(for: request.headers, in: renewed.head.headers) { renewed.selectors = selectors }
        var asGet = request
        asGet.method = "GET"
        let action: Freshening.Action =
            switch refusal(of: renewed.head, to: asGet) {
            case nil: .replace
            case .requestSaysNoStore, .isAuthorized: .leave
            default: .remove
            }
        return Freshening.Change(index: index, response: renewed, action: action)
    }

    private func confirmed(
        _ candidates: [Int], of stored: [StoredResponse], by response: ResponseHead, _ isOursAlone: Bool
    ) -> [Int] {
        let (tag, modified) = (response.entityTag, response.date("Last-Modified"))
        if let tag, !tag.isWeak {
            return candidates.filter { stored[$0].entityTag.map(tag.matchesStrongly) ?? false }
        }
        if tag != nil || modified != nil {
            let same = candidates.filter { index in
                let other = stored[index].head
                if let tag, let otherTag = other.entityTag { return tag.matchesWeakly(otherTag) }
                return modified != nil && modified == other.date("Last-Modified")
            }
            return latest(of: same, in: stored).map { [$0] } ?? []
        }
        let hasNone = candidates.count == 1 && candidates.allSatisfy { !stored[$0].head.hasValidator }
        guard hasNone || isOursAlone else { return [] }
        return latest(of: candidates, in: stored).map { [$0] } ?? []
    }

    private func agrees(_ stored: ResponseHead, _ response: ResponseHead) -> Bool {
        ["ETag", "Last-Modified", "Content-Length"].allSatisfy { name in
            guard let new = response.headers.values(for: name).first else { return true }
            guard let old = stored.headers.values(for: name).first else { return name == "Content-Length" }
            return new.utf8.count <= EntityTag.longest && new.utf8.elementsEqual(old.utf8)
        }
    }
}

extension ResponseHead {
    fileprivate var hasValidator: Bool { entityTag != nil || date("Last-Modified") != nil }
}
