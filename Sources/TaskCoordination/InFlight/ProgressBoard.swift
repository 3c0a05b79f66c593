import Synchronization

/// The latest progress of a flight, and whether anybody watches it.
///
/// One lock over both, so that a caller who begins to watch either finds the latest report or is told of it.
final class ProgressBoard<Progress: Sendable>: Sendable {
    private struct State {
        var latest: Progress?
        var isWatched = false
    }

    private let state = Mutex(State())

    /// Keeps a report that nobody waits for, and answers whether it must be told instead.
    func note(_ progress: Progress) -> Bool {
        state.withLock { state in
            if !state.isWatched { state.latest = progress }
            return state.isWatched
        }
    }

    /// Keeps a report that is about to be told, so that nobody hears it twice.
    func told(_ progress: Progress) {
        state.withLock { $0.latest = progress }
    }

    /// Begins to watch, and answers the latest report.
    func watch() -> Progress? {
        state.withLock { state in
            state.isWatched = true
            return state.latest
        }
    }
}
