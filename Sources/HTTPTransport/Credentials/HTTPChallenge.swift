// SPDX-License-Identifier: MIT
public import PlatformBasics

/// The question of an origin, or of a proxy, for a credential.
/// - Source: RFC 9110, section 11.
public struct HTTPChallenge: Sendable, Hashable {
    /// Whether the proxy asks (407) and not the origin (401).
    public let isFromProxy: Bool
    /// The URL of the hop that was refused, which after a redirect is not that of the request.
    public let url: URL
    /// The values of the `WWW-Authenticate` or `Proxy-Authenticate` fields, as they came; empty when a proxy has
    /// refused a tunnel.
    public let fields: [String]
    /// The number of credentials that were refused for this hop before, the request's own included.
    public let refusedCount: Int

    /// The scheme of the first challenge of each field, in lower case: `basic`, `bearer`, `digest` …
    public var schemes: [String] {
        fields.compactMap { $0.split { $0 == " " || $0 == "," }.first?.lowercased() }
    }
}

extension HTTPClient {
    /// Finds the credential for a challenge; `nil` to let the caller have the refusal.
    ///
    /// It runs in the task of the caller of ``HTTPClient/send(_:)``, off every actor, and its time counts. An error
    /// that it throws ends the request. It may load through another client, never through the same one while all
    /// connections of an origin may be waiting for it.
    public typealias Authenticator = @concurrent @Sendable (HTTPChallenge) async throws -> HTTPCredential?
}

/// Decides about the challenges of one request.
struct ChallengeChain {
    /// Refused credentials after which the refusal is final.
    private static let limit = 3

    private let authenticator: HTTPClient.Authenticator?
    private var refused: [Origin: Int] = [:]
    private var proxyRefused = 0
    /// The value of the `Proxy-Authorization` field.
    private(set) var proxyField: String?

    init(_ configuration: HTTPClient.Configuration) throws(HTTPError) {
        authenticator = configuration.authenticator
        proxyField = try configuration.proxyCredential?.fieldValue()
    }

    /// Prepares another attempt with a new credential for the origin or for the proxy.
    /// - Returns: Whether there is one.
    mutating func renew(_ redirects: inout RedirectChain, after head: ResponseHead) async throws -> Bool {
        let hop = redirects.current
        switch head.status {
        case 401:
            let sent = hop.request.headers["Authorization"]
            let count = refused[hop.origin, default: 0] + (sent == nil ? 0 : 1)
            refused[hop.origin] = count
            let challenge = HTTPChallenge(
                isFromProxy: false, url: hop.request.url, fields: head.headers.values(for: "WWW-Authenticate"),
                refusedCount: count)
            guard let field = try await field(for: challenge, insteadOf: sent) else { return false }
            try redirects.authorize(field)
            return true
        case 407: return try await answerProxy(fields: head.headers.values(for: "Proxy-Authenticate"), of: hop)
        default: return false
        }
    }

    /// Asks for a credential for the proxy.
    /// - Returns: Whether there is a new one.
    mutating func answerProxy(fields: [String], of hop: Hop) async throws -> Bool {
        proxyRefused += proxyField == nil ? 0 : 1
        let challenge = HTTPChallenge(
            isFromProxy: true, url: hop.request.url, fields: fields, refusedCount: proxyRefused)
        guard let field = try await field(for: challenge, insteadOf: proxyField) else { return false }
        proxyField = field
        return true
    }

    /// Asks for a credential, and gives the value of its field unless it was refused.
    private func field(for challenge: HTTPChallenge, insteadOf sent: String?) async throws -> String? {
        guard let authenticator, challenge.refusedCount < Self.limit else { return nil }
        let field = try await authenticator(challenge)?.fieldValue()
        return field == sent ? nil : field
    }
}
