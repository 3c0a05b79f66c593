// SPDX-License-Identifier: MIT
public import PlatformBasics

/// A redirect, and the request that would follow it.
public struct HTTPRedirect: Sendable, Hashable {
    /// 301, 302, 303, 307 or 308.
    public let status: Int
    /// The fields of the redirect.
    public let headers: HTTPHeaders
    /// The URL that was asked, which after an earlier redirect is not that of the first request.
    public let source: URL
    /// The request that the client would send next, without what another origin may not get.
    ///
    /// Its URL is not checked yet: it may be one that the address policy refuses, or plain `http` after `https`.
    public let next: HTTPRequest
    /// The number of redirects that were followed before.
    public let precedingCount: Int
}

/// Decides about each redirect of a request, for a client or for one request.
///
/// Rules with equal names count as the same rule, because closures cannot be compared: requests that differ in nothing
/// else are equal, and share what loaders and caches share. So the name must differ whenever decisions may differ. It
/// may be written to disk as part of a key; do not put a secret into it.
///
/// What a rule decides passes the checks of the client like any redirect: the number of redirects, loops, `https` to
/// `http`, the address policy, and the fields that another origin may get. So a rule can allow less than the client,
/// and never more. It may turn a target that the client would refuse into one that it allows.
public struct HTTPRedirectRule: Sendable {
    /// What happens with a redirect.
    public enum Decision: Sendable, Hashable {
        /// The client follows it.
        case follow
        /// The client sends this request instead of ``HTTPRedirect/next``.
        ///
        /// To an origin other than that of the redirect it takes along no credential, and only the fields that
        /// ``HTTPClient/Configuration/headersForOtherOrigins`` names. It keeps the options of `next`.
        case change(HTTPRequest)
        /// The request ends with ``HTTPError`` and code `.redirectNotAllowed`.
        case refuse
        /// The redirect itself is the response.
        case answer
    }

    /// The name that stands for the rule.
    public let identity: String
    let decide: @concurrent @Sendable (HTTPRedirect) async throws -> Decision

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - identity: The name that stands for the rule.
    ///   - decide: Runs in the task of the caller of ``HTTPClient/send(_:)``, off every actor, and its time counts. An
    ///     error that it throws ends the request. The redirect keeps its connection meanwhile, so it may load through
    ///     another client, never through the same one.
    public init(identity: String, decide: @escaping @concurrent @Sendable (HTTPRedirect) async throws -> Decision) {
        self.identity = identity
        self.decide = decide
    }
}

extension HTTPRedirectRule: Hashable {
    /// Compares the bytes of the names.
    public static func == (left: Self, right: Self) -> Bool { left.identity.utf8.elementsEqual(right.identity.utf8) }

    /// Feeds the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }
}
