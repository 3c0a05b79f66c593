import Synchronization

/// What one transfer cost, measured by the client; the phases are those of the last hop of a redirected request.
public struct HTTPMetrics: Sendable, Hashable {
    /// Looking the name up; about zero for an address, a cached name or a reused connection.
    public var nameLookup: Duration = .zero
    /// Making the TCP connection; zero for a reused one.
    public var connect: Duration = .zero
    /// The TLS handshake; zero without TLS and for a reused connection.
    public var tls: Duration = .zero
    /// From the start of the last hop to the first byte of its answer.
    public var firstByte: Duration = .zero
    /// From the call of `send` to the last byte, redirects and waiting for a slot included; `nil` until the end.
    public var total: Duration?
    /// Bytes of the body received so far, as they came over the wire: fewer than those read when it was compressed.
    public var bytesReceived = 0
    /// The version the origin answered in: `"1.0"`, `"1.1"` or `"2"`; `nil` when unknown.
    public var httpVersion: String?
    /// The address of the peer (of the proxy, if there is one), without port.
    public var remoteAddress: String?
    /// Whether the last hop ran over a connection made by an earlier transfer.
    public var reusedConnection = false
    /// How many redirects were followed.
    public var redirectCount = 0

    /// Makes metrics of a transfer which cost nothing, for stubs.
    public init() {}
}

/// Metrics which the event loop goes on writing while the response is already with the caller.
final class MetricsRecorder: Sendable {
    private let metrics: Mutex<HTTPMetrics>

    init(_ metrics: HTTPMetrics) {
        self.metrics = Mutex(metrics)
    }

    var snapshot: HTTPMetrics { metrics.withLock { $0 } }

    func update(_ change: (inout HTTPMetrics) -> Void) {
        metrics.withLock { change(&$0) }
    }
}
