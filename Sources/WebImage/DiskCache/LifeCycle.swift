internal import TaskCoordination

/// Open, draining or closed, and the running operations.
struct LifeCycle {
    enum State {
        case open, draining
        case closed(DiskCache.ShutdownReport)
    }

    var state = State.open
    var operations = 0
    /// Resolved with `true` when the last operation has ended.
    var drained: OneShot<Bool>?
    var reportWaiters: [OneShot<DiskCache.ShutdownReport>] = []

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }
}
