// SPDX-License-Identifier: MIT
public import HTTPCaching
import HTTPTransport
public import PlatformBasics

extension ImageResponse {
    /// What the caches did for this picture, for a `Cache-Status` field. Set its `cache`, the name of the cache, before
    /// you send it.
    ///
    /// - Parameters:
    ///   - rules: Tell how long the picture is still fresh. Those of the manager's
    ///     ``ImageManager/Configuration/cacheRules``.
    ///   - now: The time of the answer.
    /// - Source: RFC 9211, section 2.
    public func cacheStatus(by rules: HTTPCacheRules = .shared, at now: Date = .now) -> CacheStatus {
        CacheStatus(source, facts, origin, rules, now)
    }

    /// The time since the origin sent or confirmed the picture; `nil` when that is unknown.
    ///
    /// - Source: RFC 9111, section 4.2.3.
    public func age(at now: Date = .now) -> Duration? { origin?.age(at: now) }
}

extension EncodedImage {
    /// What the caches did for this file; see ``ImageResponse/cacheStatus(by:at:)``.
    public func cacheStatus(by rules: HTTPCacheRules = .shared, at now: Date = .now) -> CacheStatus {
        CacheStatus(source, facts, origin, rules, now)
    }

    /// The time since the origin sent or confirmed the original; `nil` when that is unknown.
    ///
    /// - Source: RFC 9111, section 4.2.3.
    public func age(at now: Date = .now) -> Duration? { origin?.age(at: now) }
}

extension CacheStatus {
    fileprivate init(
        _ source: ImageSource, _ facts: LoadFacts?, _ origin: OriginResponse?, _ rules: HTTPCacheRules, _ now: Date
    ) {
        self.init(cache: "WebImage")
        if let facts {
            (forward, forwardStatus) = (facts.forward, facts.status)
            (isStored, isCollapsed) = (facts.isStored, facts.isCollapsed)
        } else if source == .network {
            (forward, forwardStatus) = (.miss, origin?.status)
        } else {
            isHit = source != .program
        }
        guard let stored = origin?.stored, !rules.directives(of: stored.head.headers).noStore else { return }
        let lifetime = rules.lifetime(of: stored)
        if lifetime.source != .none { secondsToLive = lifetime.seconds - stored.age(at: HTTPDate(now)) }
    }
}
