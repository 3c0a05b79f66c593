// SPDX-License-Identifier: MIT
public import HTTPTransport
public import PlatformBasics

/// Sends requests with another loader, and asks at other URLs, such as those of mirrors, when an origin fails.
///
/// Only the head counts: a body that breaks off later is its reader's failure. An alternative at another origin gets
/// neither the credentials nor the cookies of the request.
public struct AlternativesLoader: HTTPLoaderWrapping {
    /// The errors after which to ask elsewhere; default those of a connection that was not made, was lost or is silent.
    public var codes: Set<HTTPError.Code> = [
        .cannotConnect, .cannotResolveHost, .connectionLost, .timedOut, .tlsFailed, .circuitOpen,
    ]
    /// The statuses after which to ask elsewhere; default 500, 502, 503 and 504.
    public var statuses: HTTPStatusSet = [500, 502, 503, 504]
    /// The methods that may be repeated; default GET and HEAD.
    public var methods: Set<String> = ["GET", "HEAD"]

    /// Sends the requests.
    public let loader: any HTTPLoading
    private let alternatives: @Sendable (URL) -> [URL]

    /// The largest number of alternatives to ask.
    private static let limit = 8

    /// Creates a loader.
    /// - Parameters:
    ///   - loader: Sends the requests. It is shut down with this one.
    ///   - alternatives: The other URLs for a URL, the first choice first; at most 8 are asked.
    public init(_ loader: any HTTPLoading, alternatives: @escaping @Sendable (URL) -> [URL]) {
        self.loader = loader
        self.alternatives = alternatives
    }

    /// Sends the request to its URL, and while that fails to each of the others.
    ///
    /// When all fail, the outcome of the last one counts.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard methods.contains(request.method), !request.hasContent else { return try await loader.send(request) }
        var rest = alternatives(request.url).filter { $0 != request.url }.prefix(Self.limit)
        var attempt = request
        while true {
            do {
                let response = try await loader.send(attempt)
                guard statuses.contains(response.status), let next = rest.popFirst() else { return response }
                response.body.cancel()
                attempt = request.moved(to: next)
            } catch let error as HTTPError {
                let isFailure = error.response.map { statuses.contains($0.status) } ?? codes.contains(error.code)
                guard isFailure, let next = rest.popFirst() else { throw error }
                attempt = request.moved(to: next)
            }
        }
    }
}

extension HTTPRequest {
    /// The same request for another URL, without credentials when that has another origin.
    fileprivate func moved(to url: URL) -> HTTPRequest {
        var moved = self
        moved.url = url
        if let old = try? Origin(self.url), let new = try? Origin(url), old == new { return moved }
        for name in ["Authorization", "Cookie", "Cookie2", "Proxy-Authorization"] {
            moved.headers.removeAll(named: name)
        }
        if hasOptions { moved.options.credential = nil }
        if hasOptions { moved.options.cookies.values = [:] }
        if hasOptions { moved.options.tls?.clientCertificate = nil }
        return moved
    }
}
