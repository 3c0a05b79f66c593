// SPDX-License-Identifier: MIT

/// Decides whether a failed load begins anew, with the origin asked again.
///
/// A retry of a transport sees the head of a response alone. This one sees the whole load: a cut body, a page of HTML
/// in place of a picture, a file that cannot be decoded.
///
/// ```swift
/// request.retry = .upTo(3, after: .seconds(1))
/// ```
///
/// Each caller asks its own rule, between flights: other callers of a failed flight get its error at once. The rule
/// decides about each alternative, too, whose attempts count from 1 again.
///
/// A load that waits for its next attempt holds neither a slot nor memory. The wait ends at once when the load is
/// cancelled, and when the manager begins to end: then with code `.shutDown`. A shutdown waits for a rule that waits
/// itself, until the rule returns or the grace time is over.
public struct LoadRetry: Sendable {
    /// An attempt that failed.
    public struct Failure: Sendable {
        /// What was asked for.
        public let request: ImageRequest
        /// Why the attempt failed.
        public let error: ImageLoadError
        /// The number of attempts so far, from 1.
        public let attemptCount: Int
    }

    let decide: @concurrent @Sendable (Failure) async throws -> Duration?

    /// Creates a rule.
    ///
    /// - Parameter decide: Says how long to wait before the next attempt; `nil` for no other one. It may wait itself.
    ///   An error that it throws ends the load with code `.hookFailed`.
    public init(_ decide: @escaping @concurrent @Sendable (Failure) async throws -> Duration?) {
        self.decide = decide
    }

    /// A rule that tries again what another transfer may mend: lost connections, cut bodies, failing origins, files
    /// that are no picture. A missing picture, a limit and a remembered failure are final.
    ///
    /// - Parameters:
    ///   - count: The number of attempts after the first one.
    ///   - delay: How long to wait before each; one second by default.
    public static func upTo(_ count: Int, after delay: Duration = .seconds(1)) -> LoadRetry {
        LoadRetry { $0.attemptCount <= count && $0.error.mayBeMended ? delay : nil }
    }
}

extension ImageLoadError {
    fileprivate var mayBeMended: Bool {
        let isOfOrigin = ![.recentlyFailed, .overloaded, .queueTimedOut, .shutDown].contains(code)
        return isOfOrigin && [415, 422, 429, 502, 503, 504].contains(suggestedHTTPStatus)
    }
}
