// SPDX-License-Identifier: MIT
import Foundation
import WebImage

/// How long clients and proxies may keep a picture.
struct FreshnessRule: Sendable {
    /// Whose lifetime counts.
    enum Authority: String, Sendable, CaseIterable {
        /// The server's own.
        case own
        /// The origin's, or the server's where the origin says nothing.
        case origin
        /// The shorter one.
        case smaller
    }

    var authority = Authority.smaller
    /// The server's own lifetime of a picture, in seconds.
    var maximumAge = 86_400

    /// What the fields of an answer say.
    struct Verdict: Equatable {
        /// The `Cache-Control` field.
        let cacheControl: String
        /// Seconds since the origin sent or confirmed the picture; `nil` when that is unknown.
        let age: Int?
        /// Whether the origin must be asked again.
        let isExpired: Bool
    }

    /// - Parameter end: The second from which the address is refused, so that no copy is fresh for longer.
    /// - Source: RFC 9111, sections 4.2 and 5.2.2.
    func verdict(on origin: OriginResponse?, at now: Date, until end: Int? = nil) -> Verdict {
        let age = origin.map { Int(min(max(0, now.timeIntervalSince($0.receivedAt)), 1e9)) }
        var left = maximumAge
        if authority != .own, let expiry = origin?.expiresAt {
            let theirs = Int(min(max(0, expiry.timeIntervalSince(now)), 1e9))
            left = authority == .origin ? theirs : min(theirs, left)
        }
        let directives = Self.directives(origin?.headers["Cache-Control"])
        let isPrivate = directives.contains("private")
        guard !directives.contains("no-store") else {
            return Verdict(cacheControl: isPrivate ? "private, no-store" : "no-store", age: age, isExpired: true)
        }
        let scope = isPrivate ? "private" : "public"
        let isExpired = left == 0 && maximumAge > 0
        if let end { left = min(left, max(0, end - Int(now.timeIntervalSince1970))) }
        // A cache subtracts the age, so that what is left counts from now.
        let lifetime = left > 0 ? "max-age=\(left + (age ?? 0))" : "no-cache"
        return Verdict(cacheControl: "\(scope), \(lifetime)", age: age, isExpired: isExpired)
    }

    private static func directives(_ field: String?) -> Set<String> {
        let words = (field ?? "").split(separator: ",").map { word in
            word.split(separator: "=")[0].trimmingCharacters(in: .whitespaces).lowercased()
        }
        return Set(words)
    }
}
