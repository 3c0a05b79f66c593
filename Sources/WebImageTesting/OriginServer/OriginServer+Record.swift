// SPDX-License-Identifier: MIT
internal import TaskCoordination

extension OriginServer {
    /// The requests, in the order in which their last byte was read.
    ///
    /// Refused requests are not included.
    ///
    /// The first ``Configuration/maximumRecordedRequestCount`` are kept.
    public var requests: [OriginRequest] { record.state.read(\.requests) }

    /// How many requests were read.
    public var requestCount: Int { record.state.read(\.requestCount) }

    /// How many requests were read for a path, whatever their query and method.
    public func requestCount(for path: String) -> Int { record.state.read { $0.counts[path] ?? 0 } }

    /// Requests that were read and whose reply has not come to its end.
    ///
    /// A request counts as answered just before the last bytes of its reply leave, so a client that waits for a reply
    /// before it asks again is never seen with two.
    public var openRequests: Int { record.state.read(\.openRequests) }

    /// The largest number of requests that were open at the same time.
    public var peakOpenRequests: Int { record.state.read(\.peakOpenRequests) }

    /// Connections that are open now.
    public var openConnections: Int { connections.openCount }

    /// Connections that were accepted.
    public var connectionCount: Int { connections.acceptedCount }

    /// Connections that the peer closed or reset before the server did.
    ///
    /// A peer that shuts down its sending direction alone counts as well when the reply was held or delayed.
    package var closedByPeer: Int { record.state.read(\.closedByPeer) }

    /// Requests that were answered with an error because they broke the rules of HTTP or a limit.
    package var refusedRequests: Int { record.state.read(\.refusedRequests) }

    /// Connections that did not get through the TLS handshake, because the peer did not trust the certificate or left.
    package var failedHandshakes: Int { record.state.read(\.failedHandshakes) }

    /// Bytes of reply bodies that were handed to the kernel.
    ///
    /// Shows whether a slow reader stops the stream.
    package var bodyBytesSent: Int { record.state.read(\.bodyBytesSent) }

    /// Waits until that many requests were read since the start.
    ///
    /// **Cancellation**: returns `false` at once.
    ///
    /// - Returns: `false` when the server was stopped before.
    @discardableResult
    public func waitForRequests(count: Int) async -> Bool {
        await record.wait(for: count, \.requestCount)
    }

    /// Waits until that many requests for a path were read since the start, as ``requestCount(for:)`` counts them.
    ///
    /// **Cancellation**: returns `false` at once.
    ///
    /// - Returns: `false` when the server was stopped before.
    @discardableResult
    public func waitForRequests(count: Int, for path: String) async -> Bool {
        await record.wait(for: count) { $0.counts[path] ?? 0 }
    }

    /// Waits until peers have closed that many connections since the start.
    ///
    /// These connections are then no longer open.
    ///
    /// **Cancellation**: returns `false` at once.
    ///
    /// - Returns: `false` when the server was stopped before.
    @discardableResult
    package func waitUntilClosedByPeer(count: Int) async -> Bool {
        await record.wait(for: count, \.closedByPeer)
    }

    /// Waits until that many TLS handshakes have failed since the start.
    ///
    /// **Cancellation**: returns `false` at once.
    ///
    /// - Returns: `false` when the server was stopped before.
    @discardableResult
    package func waitForFailedHandshakes(count: Int) async -> Bool {
        await record.wait(for: count, \.failedHandshakes)
    }
}
