// SPDX-License-Identifier: MIT
internal import Locks
public import PlatformBasics
internal import TaskCoordination

/// A loopback HTTP/1.1 server that a test scripts, and that records its requests.
///
/// It listens on `127.0.0.1` at a port of the kernel's choice. Each path is scripted with an ``OriginReply``, which can
/// be broken in many ways; other paths are answered with 404. Requests are parsed strictly: ambiguous requests, which a
/// lenient server would accept, are answered with 400.
///
/// ```swift
/// let origin = try OriginServer.start()
/// origin.respond(to: "/a.png", with: .ok(picture, type: "image/png").entityTag("\"v1\""))
/// let bytes = try await client.get(origin.url("/a.png"))
/// #expect(origin.requestCount(for: "/a.png") == 1)
/// origin.stop()
/// ```
///
/// Every connection has a thread of its own that blocks on its socket. The concurrency runtime's threads are never
/// used, so the server answers even when a test has blocked all of them, and thousands of connections cost little more
/// than their descriptors. ``Configuration/maximumConnectionCount`` bounds them.
///
/// Stop it with ``stop()``, or let ``withOriginServer(tls:configuration:_:)`` do it. A server is also stopped when its
/// last reference is released; handlers that hold the server prevent that.
public final class OriginServer: Sendable {
    /// Makes the reply to a request.
    ///
    /// Runs on the connection's thread and may block it.
    public typealias Handler = @Sendable (OriginRequest) -> OriginReply

    /// Whether URLs begin with `https`.
    package let usesTLS: Bool
    private let listener: Listener
    private let isStopped = Atomic(false)
    let script = OriginScript()
    let record: OriginRecord
    let connections: ConnectionTable

    private init(_ certificate: TestCertificate?, _ configuration: Configuration) throws(OriginError) {
        usesTLS = certificate != nil
        record = OriginRecord(limit: configuration.maximumRecordedRequestCount)
        connections = ConnectionTable(limits: configuration)
        let security = try certificate.map { certificate throws(OriginError) in
            try TLSContext(certificate, configuration: configuration)
        }
        listener = try Listener(
            port: configuration.port, withIPv6: configuration.listensOnIPv6,
            interval: [configuration.requestTimeout, configuration.replyTimeout].compactMap { $0 }.min()
                .map { min(.seconds(1), $0 / 4) }, connections: connections
        ) { [script, record, connections] descriptor in
            connections.add(descriptor: descriptor) { number in
                let end = OriginConnection.serve(
                    descriptor, number: number, security: security, configuration: configuration, script: script,
                    record: record, connections: connections)
                connections.end(number) { byServer in
                    if end == .peer && !byServer { record.state.change { $0.closedByPeer += 1 } }
                    if end == .handshake && !byServer { record.state.change { $0.failedHandshakes += 1 } }
                }
            }
        }
    }

    deinit {
        stop()
    }

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - certificate: Makes the server speak TLS, with `http/1.1` for its application protocol.
    ///   - configuration: The addresses and limits.
    /// - Throws: ``OriginError`` with code `.system` when no sockets or threads are left, `.certificate` when the
    ///   certificate cannot be used.
    public static func start(
        tls certificate: TestCertificate? = nil, configuration: Configuration = Configuration()
    ) throws(OriginError) -> OriginServer {
        try OriginServer(certificate, configuration)
    }

    /// Closes all connections and waits for the end of all threads.
    ///
    /// Later calls do nothing.
    ///
    /// Held and delayed replies end at once; a running handler is awaited. The script is removed; tasks that wait for a
    /// count get `false`; the record is kept.
    public func stop() {
        guard !isStopped.exchange(true, ordering: .relaxed) else { return }
        listener.stop()
        connections.stop()
        record.state.change { $0.isClosed = true }
        script.removeAll()
    }

    /// The port.
    public var port: Int { Int(listener.port) }

    /// The URL of a path.
    ///
    /// - Parameters:
    ///   - path: Path and query, beginning with `/`. Characters that a URL cannot have are percent-encoded.
    ///   - host: Another name of the loopback interface, such as `localhost` or `::1`.
    public func url(_ path: String, host: String = "127.0.0.1") -> URL {
        precondition(path.hasPrefix("/"), "a path begins with /")
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let text = "\(usesTLS ? "https" : "http")://\(authority)\(path)"
        guard let url = URL(string: text) else { preconditionFailure("\(text) is no URL") }
        return url
    }
}
