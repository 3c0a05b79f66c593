public import HTTPTransport

/// Changes a request just before it is sent, for example to sign it.
///
/// Two requests share a flight only when their modifiers have equal identities, so an identity must differ whenever
/// the bytes that come back may differ: one per tenant, one per signing key.
///
/// A modifier runs inside a transfer, which holds a download slot meanwhile. So it must not load through the manager or
/// the downloader that it works for: such a load throws ``ImageLoadError`` with code `.reentrant` unless memory answers
/// it. It may use another manager, or an `HTTPClient` of its own. A shutdown that it awaits ends its own transfer;
/// see ``ImageManager/shutdown(within:)``.
public struct RequestModifier: Sendable {
    /// Names what the modifier does. Equal identities must produce equal requests.
    public let identity: String

    let modify: @concurrent @Sendable (HTTPRequest) async throws -> HTTPRequest

    /// Creates a modifier.
    ///
    /// - Parameters:
    ///   - identity: Names what `modify` does; part of the identity of every request that uses it.
    ///   - modify: Runs once per transfer, off every actor. An error it throws ends the load. When the transfer is
    ///     cancelled, what it returns is not sent.
    public init(
        identity: String,
        modify: @escaping @concurrent @Sendable (HTTPRequest) async throws -> HTTPRequest
    ) {
        self.identity = identity
        self.modify = modify
    }
}
