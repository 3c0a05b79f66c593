internal import TaskCoordination

/// Open, draining, closed; and what is under way.
struct LifeCycle {
    enum State {
        case open, draining
        case closed(DiskCache.ShutdownReport)
    }

    var state = State.open
    var operations = 0
    /// Resolved with `true` when nothing is under way any more.
    var drained: OneShot<Bool>?
    var reportWaiters: [OneShot<DiskCache.ShutdownReport>] = []

    var isOpen: Bool {
        if case .open = state { true } else { false }
    }
}
