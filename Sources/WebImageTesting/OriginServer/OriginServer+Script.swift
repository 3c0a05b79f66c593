// SPDX-License-Identifier: MIT
extension OriginServer {
    /// Sets the reply to all requests for a path.
    ///
    /// - Parameters:
    ///   - path: The path as clients send it, percent-encoding included. With a query it stands for exactly that target
    ///     and takes precedence over the path alone.
    ///   - reply: The reply, to `GET` and to every other method; `HEAD` gets its head.
    public func respond(to path: String, with reply: OriginReply) {
        respond(to: path) { _ in reply }
    }

    /// Sets the replies to the requests for a path, in turn: the first one gets the first reply; when all were given
    /// the last one is repeated.
    public func respond(to path: String, inTurn first: OriginReply, _ others: OriginReply...) {
        let replies = [first] + others
        respond(to: path) { replies[min($0.attempt, replies.count) - 1] }
    }

    /// Sets the handler of requests for a path.
    ///
    /// - Parameters:
    ///   - path: As for ``respond(to:with:)``.
    ///   - handler: Runs on the thread of the connection, for several requests at a time; it may block, and may use
    ///     ``OriginRequest/attempt`` to tell the first request from a later one.
    public func respond(to path: String, handler: @escaping Handler) {
        script.set(handler, for: path)
    }

    /// Sets the handler of all requests without a scripted path.
    public func respondToEverything(_ handler: @escaping Handler) {
        script.setFallback(handler)
    }

    /// Redirects each path to the next one.
    ///
    /// A last path that equals the first makes a loop.
    public func redirect(along paths: [String], status: Int = 302) {
        for (path, next) in zip(paths, paths.dropFirst()) {
            respond(to: path, with: .redirect(to: next, status: status))
        }
    }

    /// Closes all connections that are open now, busy or idle, and continues to listen.
    public func closeConnections() {
        connections.interruptAll()
    }
}
