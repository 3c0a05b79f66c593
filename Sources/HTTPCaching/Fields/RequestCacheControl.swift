// SPDX-License-Identifier: MIT
import HTTPTransport

/// The directives of a request.
///
/// An argument that is not a number counts as the most restrictive one, and so does the stricter of two.
///
/// - Source: RFC 9111, section 5.2.1; RFC 5861, section 4.
struct RequestCacheControl: Sendable, Hashable {
    /// `max-age`: the largest accepted age, in seconds (RFC 9111, section 5.2.1.1).
    private(set) var maxAge: Int?
    /// `max-stale`: the accepted staleness, in seconds; without an argument the largest number (section 5.2.1.2).
    private(set) var maxStale: Int?
    /// `min-fresh`: how long the response has to stay fresh, in seconds (section 5.2.1.3).
    private(set) var minFresh: Int?
    /// `stale-if-error`: the accepted staleness when the origin fails, in seconds (RFC 5861, section 4).
    private(set) var staleIfError: Int?
    /// `no-cache`, or `Pragma: no-cache` without a `Cache-Control` (sections 5.2.1.4 and 5.4).
    private(set) var noCache = false
    /// `no-store` (section 5.2.1.5).
    private(set) var noStore = false
    /// `only-if-cached` (section 5.2.1.7).
    private(set) var onlyIfCached = false

    /// Reads the lines of `Cache-Control`, and those of `Pragma` when there are none.
    ///
    /// - Parameter headers: The fields of a request. More than 65,536 bytes of either count as `no-cache` and
    ///   `no-store`.
    /// - Complexity: O(number of fields + bytes of the two).
    init(_ headers: HTTPHeaders) {
        let hasControl = headers.contains(name: "Cache-Control")
        guard let lines = FieldText.lines(headers.values(for: hasControl ? "Cache-Control" : "Pragma")) else {
            (noCache, noStore) = (true, true)
            return
        }
        for directive in lines.flatMap(DirectiveReader.init) {
            if hasControl { note(directive) } else if directive.name == "no-cache" { noCache = true }
        }
    }

    private mutating func note(_ directive: CacheDirective) {
        switch directive.name {
        case "max-age": maxAge = min(maxAge ?? .max, directive.seconds)
        case "max-stale":
            maxStale = min(maxStale ?? .max, directive.isBare ? DeltaSeconds.largest : directive.seconds)
        case "min-fresh":
            guard case .text(let text) = directive.argument, let seconds = DeltaSeconds.parse(text) else {
                return minFresh = DeltaSeconds.largest
            }
            minFresh = max(minFresh ?? 0, seconds)
        case "stale-if-error": staleIfError = min(staleIfError ?? .max, directive.seconds)
        case "no-cache": noCache = true
        case "no-store": noStore = true
        case "only-if-cached": onlyIfCached = true
        default: break
        }
    }
}
