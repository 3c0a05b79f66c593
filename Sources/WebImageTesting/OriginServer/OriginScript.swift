// SPDX-License-Identifier: MIT
internal import Locks

/// The replies of a server, by request.
final class OriginScript: Sendable {
    private struct State {
        var handlers: [String: OriginServer.Handler] = [:]
        var fallback: OriginServer.Handler?
    }

    private let state = Mutex(State())

    /// Sets the handler of a path, or of one target when the key has a query.
    func set(_ handler: @escaping OriginServer.Handler, for key: String) {
        state.withLock { $0.handlers[key] = handler }
    }

    /// Sets the handler of all other requests.
    func setFallback(_ handler: @escaping OriginServer.Handler) {
        state.withLock { $0.fallback = handler }
    }

    /// Removes all handlers, and with them the objects that they hold.
    func removeAll() {
        state.withLock { $0 = State() }
    }

    /// The reply of the most specific handler: for path and query, for the path, for everything, or 404.
    func reply(to request: OriginRequest) -> OriginReply {
        let handler = state.withLock { state in
            request.query.flatMap { state.handlers["\(request.path)?\($0)"] }
                ?? state.handlers[request.path] ?? state.fallback
        }
        // Called outside of the lock: a handler may change the script.
        return handler?(request) ?? .text("There is nothing at \(request.path).\n", status: 404)
    }
}
