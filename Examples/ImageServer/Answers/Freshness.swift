// SPDX-License-Identifier: MIT
import HTTPCaching
import PlatformBasics
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
    /// The server's own lifetime of a picture, in seconds from the moment when the origin sent or confirmed it. 0 lets
    /// no client keep one; the server itself then asks the origin again after ``lifetimeOfNone``.
    var maximumAge = 86_400

    /// In seconds.
    static let lifetimeOfNone = 86_400

    /// What the fields of an answer say.
    struct Verdict: Equatable {
        /// The `Cache-Control` field.
        let cacheControl: String
        /// Seconds until the origin must be asked again; 0 and less for an expired picture, `nil` for one that nothing
        /// may keep.
        let secondsLeft: Int?

        var isExpired: Bool { (secondsLeft ?? 0) <= 0 }
    }

    /// The lifetime in `Cache-Control` counts from `now`, and the answer has no `Age`: some proxies do not subtract it.
    ///
    /// - Parameter end: The second from which the address is refused, so that no copy is fresh for longer.
    /// - Source: RFC 9111, sections 4.2 and 5.2.2.
    func verdict(on origin: OriginResponse?, at now: Date, until end: Int? = nil) -> Verdict {
        let directives = CacheControl(origin?.headers ?? [:])
        let scope = directives.isPrivate != nil ? "private" : "public"
        guard !directives.noStore else {
            return Verdict(cacheControl: scope == "private" ? "private, no-store" : "no-store", secondsLeft: nil)
        }
        let left = secondsLeft(origin, ours: maximumAge > 0 ? maximumAge : Self.lifetimeOfNone, at: now)
        var lifetime = max(0, secondsLeft(origin, ours: maximumAge, at: now))
        if let end { lifetime = min(lifetime, max(0, end - Int(now.timeIntervalSince1970))) }
        return Verdict(
            cacheControl: "\(scope), \(lifetime > 0 ? "max-age=\(lifetime)" : "no-cache")", secondsLeft: left)
    }

    /// - Parameter ours: The server's own lifetime.
    private func secondsLeft(_ origin: OriginResponse?, ours: Int, at now: Date) -> Int {
        let age = origin.map { max(0, now.timeIntervalSince($0.receivedAt)) } ?? 0
        let ours = Double(ours) - age
        let theirs = origin?.expiresAt?.timeIntervalSince(now) ?? ours
        let left =
            switch authority {
            case .own: ours
            case .origin: theirs
            case .smaller: min(ours, theirs)
            }
        // Whole seconds, as everywhere in HTTP: a picture that has just come has its whole lifetime.
        return Int(min(max(-1e9, left.rounded(.up)), 1e9))
    }
}
