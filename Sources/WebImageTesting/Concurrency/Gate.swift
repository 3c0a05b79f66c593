// SPDX-License-Identifier: MIT
import Locks
internal import TaskCoordination

/// Holds tasks at a point until the test opens it.
///
/// The code under test calls ``pass()``, the test awaits ``reached()`` and calls ``open()``. An open gate stays open.
public final class Gate: Sendable {
    fileprivate struct State {
        var isOpen = false
        var arrivals = 0
        var held: [OneShot<Void>] = []
        var watchers: [OneShot<Void>] = []
    }

    private let state = Mutex(State())

    /// Creates a closed gate.
    public init() {}

    /// The number of tasks that have reached the gate so far.
    public var arrivals: Int { state.withLock { $0.arrivals } }

    /// Waits until the gate is open.
    ///
    /// **Cancellation**: ignored, so that a gate can simulate work that is slow to unwind.
    public func pass() async {
        let turn = OneShot<Void>()
        let (isOpen, watchers) = state.withLock { $0.arrive(turn) }
        for watcher in watchers { watcher.resolve(()) }
        if !isOpen { await turn.wait() }
    }

    /// Waits until a task has reached the gate.
    ///
    /// **Cancellation**: ignored.
    public func reached() async {
        let watcher = OneShot<Void>()
        let isReached = state.withLock { state in
            if state.arrivals == 0 { state.watchers.append(watcher) }
            return state.arrivals > 0
        }
        if !isReached { await watcher.wait() }
    }

    /// Lets all tasks pass, the waiting ones in order of arrival, and all later ones.
    public func open() {
        let held = state.withLock { state in
            state.isOpen = true
            defer { state.held = [] }
            return state.held
        }
        for turn in held { turn.resolve(()) }
    }
}

extension Gate.State {
    fileprivate mutating func arrive(_ turn: OneShot<Void>) -> (isOpen: Bool, watchers: [OneShot<Void>]) {
        arrivals += 1
        if !isOpen { held.append(turn) }
        defer { watchers = [] }
        return (isOpen, watchers)
    }
}
