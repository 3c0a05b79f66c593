// SPDX-License-Identifier: MIT
public import HTTPTransport

/// A loader around another one, which adds a rule to `send(_:)` and nothing else.
///
/// It is for the requests and the schemes that the other one is for, and ends it with itself. A loader of a program's
/// own needs `loader` and `send(_:)`.
public protocol HTTPLoaderWrapping: HTTPLoading {
    /// Sends the requests. It is shut down with this one.
    var loader: any HTTPLoading { get }
}

extension HTTPLoaderWrapping {
    /// Whether the other loader can load the request.
    public func canLoad(_ request: HTTPRequest) -> Bool { loader.canLoad(request) }

    /// The schemes of the other loader.
    public var schemes: [String] { loader.schemes }

    /// The local schemes of the other loader.
    public var localSchemes: [String] { loader.localSchemes }

    /// Ends the other loader.
    public func shutdown() async { await loader.shutdown() }
}
