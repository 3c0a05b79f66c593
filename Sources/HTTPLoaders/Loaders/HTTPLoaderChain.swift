// SPDX-License-Identifier: MIT
public import HTTPTransport
import PlatformBasics

/// Loaders in order: the first one that can load a request gets it.
///
/// ```swift
/// let loader = HTTPLoaderChain(FileLoader(roots: ["/srv/pictures"]), DataURLLoader(), HTTPClient())
/// ```
public struct HTTPLoaderChain: HTTPLoading {
    /// The loaders, the first choice first.
    let loaders: [any HTTPLoading]

    /// Creates a chain of these loaders, the first choice first.
    public init(_ loaders: any HTTPLoading...) {
        self.loaders = loaders
    }

    /// Creates a chain of these loaders, the first choice first.
    public init(_ loaders: [any HTTPLoading]) {
        self.loaders = loaders
    }

    /// Sends the request with the first loader that can load it.
    ///
    /// - Throws: `HTTPError` with code `.unsupportedURL` when there is none, and what the loader throws.
    public func send(_ request: HTTPRequest) async throws -> HTTPResponse {
        guard let loader = loaders.first(where: { $0.canLoad(request) }) else { throw refusal(of: request) }
        return try await loader.send(request)
    }

    /// Whether one of the loaders can load the request.
    public func canLoad(_ request: HTTPRequest) -> Bool {
        loaders.contains { $0.canLoad(request) }
    }

    /// The schemes of all loaders, each once.
    public var schemes: [String] {
        var known: Set<String> = []
        return loaders.flatMap(\.schemes).filter { known.insert($0).inserted }
    }

    /// The local schemes of all loaders.
    public var localSchemes: [String] { loaders.flatMap(\.localSchemes) }

    /// Ends all loaders, one after the other.
    public func shutdown() async {
        for loader in loaders { await loader.shutdown() }
    }

    private func refusal(of request: HTTPRequest) -> HTTPError {
        let scheme = request.url.scheme.map { "the scheme \"\($0.lowercased())\"" } ?? "a URL without a scheme"
        let known = schemes
        let offer =
            known.isEmpty
            ? "The chain has no loader that names a scheme"
            : "The loaders of this chain take \(known.joined(separator: ", "))"
        return HTTPError(
            code: .unsupportedURL,
            message: "No loader takes this request for \(scheme). \(offer); add a loader for it, or correct the URL.",
            url: request.url)
    }
}
