// SPDX-License-Identifier: MIT
package import HTTPTransport

/// The directives of a response, from `Cache-Control` or from a targeted field.
///
/// A number that is not one, and two different numbers for one directive, count as 0: the response is stale. Of other
/// directives that conflict, the most restrictive one holds. Unknown directives are ignored.
///
/// - Source: RFC 9111, sections 4.2.1 and 5.2.2; RFC 5861, sections 3 and 4; RFC 8246, section 2.
package struct CacheControl: Sendable, Hashable {
    /// What a directive with an optional list of fields is about.
    package enum Extent: Sendable, Hashable {
        /// The whole response.
        case response
        /// These fields, in lower case.
        case fields(Set<String>)

        func union(_ other: Extent?) -> Extent {
            guard case .fields(let names) = self, let other else { return self }
            guard case .fields(let more) = other else { return .response }
            return .fields(names.union(more))
        }
    }

    /// `max-age`, in seconds (RFC 9111, section 5.2.2.1).
    package internal(set) var maxAge: Int?
    /// `s-maxage`, in seconds (RFC 9111, section 5.2.2.10).
    package internal(set) var sharedMaxAge: Int?
    /// `stale-while-revalidate`, in seconds (RFC 5861, section 3).
    package internal(set) var staleWhileRevalidate: Int?
    /// `stale-if-error`, in seconds (RFC 5861, section 4).
    package internal(set) var staleIfError: Int?
    /// `no-cache`, for the response or for fields (RFC 9111, section 5.2.2.4).
    package internal(set) var noCache: Extent?
    /// `private`, for the response or for fields (RFC 9111, section 5.2.2.7).
    package internal(set) var isPrivate: Extent?
    /// `no-store` (RFC 9111, section 5.2.2.5).
    package internal(set) var noStore = false
    /// `public` (RFC 9111, section 5.2.2.9).
    package internal(set) var isPublic = false
    /// `must-revalidate` (RFC 9111, section 5.2.2.2).
    package internal(set) var mustRevalidate = false
    /// `proxy-revalidate` (RFC 9111, section 5.2.2.8).
    package internal(set) var proxyRevalidate = false
    /// `must-understand` (RFC 9111, section 5.2.2.3).
    package internal(set) var mustUnderstand = false
    /// `immutable` (RFC 8246, section 2).
    package internal(set) var isImmutable = false
    /// Whether a quoted string does not end; the lifetime is 0 then.
    package internal(set) var isMalformed = false

    /// Reads the lines of `Cache-Control`.
    ///
    /// - Parameter headers: The fields of a response. More than 65,536 bytes of `Cache-Control` count as `no-store`.
    /// - Complexity: O(number of fields + bytes of `Cache-Control`).
    package init(_ headers: HTTPHeaders) {
        guard let lines = FieldText.lines(headers.values(for: "Cache-Control")) else {
            noStore = true
            return
        }
        for line in lines {
            var reader = DirectiveReader(line)
            while let directive = reader.next() {
                note(
                    directive.name, restricts: true, permits: directive.isBare, seconds: directive.seconds,
                    fieldNames: directive.fieldNames)
            }
            isMalformed = isMalformed || reader.isMalformed
        }
    }

    init() {}

    /// Notes a directive, of which the argument is read as the directive needs it.
    ///
    /// - Parameters:
    ///   - restricts: Whether it holds if it restricts. In `Cache-Control` it does with any argument.
    ///   - permits: Whether it holds if it permits, which counts only as the grammar has it.
    ///   - seconds: The argument as seconds; `nil` for one to ignore.
    ///   - fieldNames: The argument as names of fields; `nil` for one that is no list of names.
    mutating func note(
        _ name: String, restricts: Bool, permits: Bool, seconds: @autoclosure () -> Int?,
        fieldNames: @autoclosure () -> Set<String>?
    ) {
        switch name {
        case "max-age": note(seconds(), \.maxAge)
        case "s-maxage": note(seconds(), \.sharedMaxAge)
        case "stale-while-revalidate": note(seconds(), \.staleWhileRevalidate)
        case "stale-if-error": note(seconds(), \.staleIfError)
        case "no-cache" where restricts: noCache = Self.extent(fieldNames()).union(noCache)
        case "private" where restricts: isPrivate = Self.extent(fieldNames()).union(isPrivate)
        case "no-store": noStore = noStore || restricts
        case "must-revalidate": mustRevalidate = mustRevalidate || restricts
        case "proxy-revalidate": proxyRevalidate = proxyRevalidate || restricts
        case "public": isPublic = isPublic || permits
        case "must-understand": mustUnderstand = mustUnderstand || permits
        case "immutable": isImmutable = isImmutable || permits
        default: break
        }
    }

    private mutating func note(_ seconds: Int?, _ place: WritableKeyPath<CacheControl, Int?>) {
        guard let seconds else { return }
        let other = self[keyPath: place] ?? seconds
        self[keyPath: place] = other == seconds ? seconds : 0
    }

    private static func extent(_ names: Set<String>?) -> Extent { names.map { .fields($0) } ?? .response }
}
