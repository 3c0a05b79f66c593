// SPDX-License-Identifier: MIT
public import HTTPCaching
import HTTPTransport
public import PlatformBasics

extension OriginResponse {
    /// How old the response is, in whole seconds.
    ///
    /// - Source: RFC 9111, section 4.2.3.
    public func age(at now: Date = .now) -> Duration { .seconds(stored.age(at: HTTPDate(now))) }

    /// How long the response is fresh, counted from its age of zero.
    ///
    /// - Source: RFC 9111, section 4.2.1.
    public func lifetime(by rules: HTTPCacheRules) -> FreshnessLifetime { rules.lifetime(of: stored) }

    /// When the response stops being fresh for a private cache, if the origin says so: the time of arrival, and the
    /// lifetime less the age at arrival. For `no-cache` and `no-store` it is the time of arrival.
    ///
    /// - Source: RFC 9111, sections 4.2.1, 4.2.3, 5.2.2.4, 5.2.2.5 and 5.3.
    public var expiresAt: Date? {
        let control = CacheControl(headers)
        if control.noCache == .response || control.noStore { return receivedAt }
        let lifetime = lifetime(by: .private)
        // Of lifetimes that the origin has not named, only that of a broken field is the origin's doing.
        guard lifetime.isExplicit || control.isMalformed else { return nil }
        let age = stored.age(at: HTTPDate(receivedAt))
        return receivedAt.addingTimeInterval(Double(lifetime.seconds - age))
    }

    /// The response as the rules know it.
    var stored: StoredResponse { StoredResponse(head: head) }

    /// The head as the rules know it.
    var head: ResponseHead {
        ResponseHead(
            status: status, headers: headers, requestTime: HTTPDate(requestedAt), responseTime: HTTPDate(receivedAt))
    }

    /// The fields that ask the origin whether the content is still valid. Empty when the origin named no validator.
    ///
    /// - Source: RFC 9110, sections 13.1.2 and 13.1.3.
    var validators: HTTPHeaders { stored.validators }

    /// The response after a 304, whose fields replace those of the same names, apart from those that describe the
    /// bytes.
    ///
    /// - Source: RFC 9111, section 3.2.
    func renewed(by response: OriginResponse, _ rules: HTTPCacheRules = .private) -> OriginResponse {
        var renewed = OriginResponse(
            url: url, status: status, headers: rules.updated(headers, with: response.headers),
            requestedAt: response.requestedAt, receivedAt: response.receivedAt, metrics: response.metrics)
        if let selectors { renewed.selectors = selectors }
        return renewed
    }
}

extension Duration {
    /// The seconds, with their fraction.
    var seconds: Double { self / .seconds(1) }
}
