// SPDX-License-Identifier: MIT
package import HTTPTransport

extension HTTPCacheRules {
    /// The second key of a response: the request's values of the fields that the response varies by.
    ///
    /// A value joins the key only when ``varyFields`` allows the field, and never when the field carries a credential.
    /// A field that may not join tells nothing apart as long as the request does not have it.
    ///
    /// - Parameters:
    ///   - request: The fields of the request.
    ///   - response: The fields of the response.
    /// - Returns: The values by lower-case name, normalised; without fields that the request does not have. `nil` when
    ///   no later request can match: `Vary` is `*`, names a present field that may not join, names more than 32 fields,
    ///   or selects by a value of more than 4,096 bytes.
    /// - Complexity: O(names of `Vary` × number of fields).
    /// - Source: RFC 9111, section 4.1; RFC 9110, section 12.5.5.
    package func selectors(for request: HTTPHeaders, in response: HTTPHeaders) -> [String: String]? {
        guard let names = Self.varyNames(response) else { return nil }
        var selectors: [String: String] = [:]
        for name in names where request.contains(name: name) {
            guard mayJoinKey(name), let value = Self.normalized(request.values(for: name), of: name) else { return nil }
            selectors[name] = value
        }
        return selectors
    }

    /// Whether a request selects a stored response.
    ///
    /// - Complexity: O(names of `Vary` × number of fields).
    /// - Source: RFC 9111, section 4.1.
    package func matches(_ stored: StoredResponse, _ request: HTTPHeaders) -> Bool {
        selectors(for: request, in: stored.head.headers) == stored.selectors
    }

    private func mayJoinKey(_ name: String) -> Bool {
        if isCredential(name) { return false }
        switch varyFields {
        case .only(let names): return names.contains(name)
        case .anyWithoutCredentials: return true
        }
    }

    private func isCredential(_ name: String) -> Bool {
        ["authorization", "cookie", "cookie2", "proxy-authorization"].contains(name) || credentialFields.contains(name)
    }

    /// The names in lower case; `nil` for `*`, for what is no name, and for too many.
    private static func varyNames(_ response: HTTPHeaders) -> Set<String>? {
        guard let lines = FieldText.lines(response.values(for: "Vary")) else { return nil }
        var names: Set<String> = []
        for member in lines.flatMap(FieldText.members) {
            guard member.first != UInt8(ascii: "*"), member.allSatisfy(\.isTokenByte) else { return nil }
            names.insert(FieldText.lowercased(member))
            if names.count > 32 { return nil }
        }
        return names
    }

    /// Lines joined, white space around commas removed. The order of what is negotiated by weights means nothing.
    private static func normalized(_ values: [String], of name: String) -> String? {
        guard let lines = FieldText.lines(values) else { return nil }
        let members = lines.flatMap(FieldText.members)
        guard members.reduce(0, { $0 + $1.count + 1 }) <= 4_096 else { return nil }
        switch name {
        case "accept-charset", "accept-encoding", "accept-language":
            let weighted = members.map { FieldText.lowercased($0.filter { !$0.isBlank }) }
            return weighted.sorted().joined(separator: ",")
        case "accept":
            return members.map { String(decoding: $0.filter { !$0.isBlank }, as: UTF8.self) }.sorted()
                .joined(separator: ",")
        default:
            return members.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",")
        }
    }
}

extension StoredResponse {
    /// The selectors as one text, for caches whose keys are texts; empty without selectors.
    ///
    /// Different selectors have different texts.
    public var variantKey: String {
        selectors.sorted { $0.key < $1.key }
            .map { "\($0.key):\($0.value.utf8.count):\($0.value)" }.joined(separator: ";")
    }
}
