// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics

/// When and how often a request is sent again.
///
/// The delays grow twofold and are drawn at random between zero and their limit ("full jitter"), so that many clients
/// do not come back at the same time.
public struct RetryPolicy: Sendable, Hashable {
    /// The largest number of times that a request is sent, the first one included; default 3.
    public var maximumAttempts = 3
    /// The limit of the first delay; default 0.5 s.
    public var firstDelay = Duration.milliseconds(500)
    /// The limit of every delay; default 20 s.
    public var maximumDelay = Duration.seconds(20)
    /// The longest `Retry-After` to wait for; default 60 s. An origin that asks for more gets no other attempt.
    public var maximumRetryAfter = Duration.seconds(60)
    /// The methods that may be repeated; default those that are idempotent.
    public var methods: Set<String> = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]
    /// The statuses after which to try again; default 408, 429, 500, 502, 503 and 504.
    public var statuses: HTTPStatusSet = [408, 429, 500, 502, 503, 504]
    /// The errors after which to try again; default those of a connection that was not made or was lost.
    ///
    /// A time limit is not among them: an origin that is slow does not become faster by another request.
    public var codes: Set<HTTPError.Code> = [.cannotConnect, .cannotResolveHost, .connectionLost]
    /// The number of retries that a host may cost before successes pay for more; default 10.
    ///
    /// When all requests to a host fail, retries would multiply the load on it. Each retry costs one token of the host,
    /// and each success gives a tenth of one back.
    public var retriesPerHost = 10

    /// Creates the default policy.
    public init() {}

    /// The delay before an attempt.
    /// - Parameters:
    ///   - attempt: The number of the attempt that failed, from 1.
    ///   - fraction: A random number from 0 to 1.
    func delay(after attempt: Int, fraction: Double) -> Duration {
        let limit = scalbn(Double(min(firstDelay, maximumDelay).clampedNanoseconds), min(attempt, 60) - 1)
        let nanoseconds = min(limit, Double(maximumDelay.clampedNanoseconds)) * min(max(fraction, 0), 1)
        return .nanoseconds(Int64(nanoseconds))
    }

    /// Reads a `Retry-After` field, in seconds or as a date; `nil` when it is neither.
    /// - Source: RFC 9110, section 10.2.3.
    static func retryAfter(_ field: String, now: Date) -> Duration? {
        if !field.isEmpty, field.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return .seconds(min(Int(field) ?? .max, 86_400 * 365))
        }
        let now = HTTPDate(now)
        guard let date = HTTPDate(field, receivedAt: now) else { return nil }
        return .seconds(min(max(date.seconds(since: now), 0), 86_400 * 365))
    }
}
