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
        for (name, value) in members {
            note(
                name, restricts: value != .boolean(false), permits: value == .boolean(true), seconds: value.seconds,
                fieldNames: value.fieldNames)
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
