// SPDX-License-Identifier: MIT
import PlatformBasics

/// Something that answers HTTP requests: ``HTTPClient``, another loader, or a stub in a test.
///
/// It must not load through the image manager that it works for, which then throws an error with code `.reentrant`.
public protocol HTTPLoading: Sendable {
    /// Sends the request and returns when the head of the final response has arrived; the body follows.
    ///
    /// **Cancellation**: throws `CancellationError` and ends the transfer.
    /// - Throws: ``HTTPError``; `CancellationError`.
    func send(_ request: HTTPRequest) async throws -> HTTPResponse

    /// Whether this loader is for such requests.
    ///
    /// Decides by the request alone, without a connection or a file. The default is whether the URL has one of the
    /// `schemes`, and `true` without schemes.
    /// - Complexity: O(1) in everything but the length of the URL.
    func canLoad(_ request: HTTPRequest) -> Bool

    /// The schemes of the URLs that this loader is for; empty when it does not decide by the scheme.
    ///
    /// The default is empty.
    var schemes: [String] { get }

    /// The schemes whose content is on this machine, so that a cache on disk keeps no copy of it.
    ///
    /// The default is empty.
    var localSchemes: [String] { get }

    /// Ends every transfer and releases all resources; later calls of ``send(_:)`` throw
    /// ``HTTPError/Code-swift.struct/shutDown``.
    func shutdown() async
}

extension HTTPLoading {
    /// Whether the URL has one of the schemes; `true` without schemes.
    public func canLoad(_ request: HTTPRequest) -> Bool {
        let schemes = schemes
        guard !schemes.isEmpty, let scheme = request.url.scheme else { return schemes.isEmpty }
        return schemes.contains { $0.isEqualIgnoringCase(to: scheme) }
    }

    /// Empty.
    public var schemes: [String] { [] }

    /// Empty.
    public var localSchemes: [String] { [] }
}

/// Something that puts a loader with further rules around another one, such as `TransferRules` of the module
/// `HTTPLoaders`.
public protocol HTTPLoaderMaking: Sendable {
    /// A loader that sends its requests with `loader`, and shuts it down with itself.
    func loader(around loader: any HTTPLoading) -> any HTTPLoading
}

/// Code that limits how many requests run at once, and has given one a turn.
package protocol TurnGiving: Sendable {
    /// Runs a wait that needs no connection, and lets another request have the turn meanwhile.
    func withoutTurn(_ wait: @Sendable () async throws -> Void) async throws
}

/// For loaders that wait by themselves.
package enum RequestTurn {
    /// Gave the turn to the request that the calling task sends.
    @TaskLocal package static var giver: (any TurnGiving)?

    package static func wait(_ wait: @Sendable () async throws -> Void) async throws {
        if let giver { try await giver.withoutTurn(wait) } else { try await wait() }
    }
}
