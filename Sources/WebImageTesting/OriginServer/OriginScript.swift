internal import Synchronization

/// Which reply a server gives to which request.
final class OriginScript: Sendable {
    private struct State {
        var handlers: [String: OriginServer.Handler] = [:]
        var fallback: OriginServer.Handler?
    }

    private let state = Mutex(State())

    /// Sets what happens to a path, or to one target when the key has a query.
    func set(_ handler: @escaping OriginServer.Handler, for key: String) {
        state.withLock { $0.handlers[key] = handler }
    }

    /// Sets what happens to everything else.
    func setFallback(_ handler: @escaping OriginServer.Handler) {
        state.withLock { $0.fallback = handler }
    }

    /// Forgets everything, and with it whatever the handlers hold.
    func removeAll() {
        state.withLock { $0 = State() }
    }

    /// The reply of the most special handler: for path and query, for the path, for everything, or 404.
    func reply(to request: OriginRequest) -> OriginReply {
        let handler = state.withLock { state in
            request.query.flatMap { state.handlers["\(request.path)?\($0)"] }
                ?? state.handlers[request.path] ?? state.fallback
        }
        // Called outside of the lock: a handler may change the script.
        return handler?(request) ?? .text("There is nothing at \(request.path).\n", status: 404)
    }
}
