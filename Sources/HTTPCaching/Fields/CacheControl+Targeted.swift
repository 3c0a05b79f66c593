// SPDX-License-Identifier: MIT
package import HTTPTransport

extension CacheControl {
    /// Reads a targeted field, such as `CDN-Cache-Control`.
    ///
    /// A number of another type than an integer is ignored. A restriction (`no-store`, `private`, `no-cache`,
    /// `must-revalidate`, `proxy-revalidate`) holds with any value but `?0`.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - headers: The fields of a response.
    /// - Returns: `nil` when the field is missing, empty, no dictionary, or longer than 65,536 bytes. It is as if it
    ///   were not present then.
    /// - Complexity: O(number of fields + bytes of the field).
    /// - Source: RFC 9213, section 2.1; RFC 9651, section 4.2.2.
    package init?(targeted name: String, in headers: HTTPHeaders) {
        guard let lines = FieldText.lines(headers.values(for: name)) else { return nil }
        var reader = StructuredReader(Array(lines.joined(separator: ", ".utf8)))
        guard let members = reader.dictionary(), !members.isEmpty else { return nil }
        self.init()
        for (name, value) in members { note(name, value) }
    }

    private mutating func note(_ name: String, _ value: StructuredReader.Value) {
        let isTrue = value == .boolean(true)
        let isRestricting = value != .boolean(false)
        switch name {
        case "max-age": maxAge = value.seconds
        case "s-maxage": sharedMaxAge = value.seconds
        case "stale-while-revalidate": staleWhileRevalidate = value.seconds
        case "stale-if-error": staleIfError = value.seconds
        case "no-cache": noCache = isRestricting ? Self.extent(value.fieldNames) : nil
        case "private": isPrivate = isRestricting ? Self.extent(value.fieldNames) : nil
        case "no-store": noStore = isRestricting
        case "must-revalidate": mustRevalidate = isRestricting
        case "proxy-revalidate": proxyRevalidate = isRestricting
        case "public": isPublic = isTrue
        case "must-understand": mustUnderstand = isTrue
        case "immutable": isImmutable = isTrue
        default: break
        }
    }
}

extension StructuredReader.Value {
    /// An integer as seconds, 0 for a negative one; `nil` for every other type.
    fileprivate var seconds: Int? {
        guard case .integer(let number) = self else { return nil }
        return DeltaSeconds.clamped(number)
    }

    fileprivate var fieldNames: Set<String>? {
        guard case .text(let text) = self else { return nil }
        return FieldText.fieldNames(text)
    }
}
