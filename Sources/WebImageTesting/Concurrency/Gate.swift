// SPDX-License-Identifier: MIT
internal import TaskCoordination

/// Holds tasks at a point until the test opens it.
///
/// The code under test calls ``pass()``, the test awaits ``reached()`` and calls ``open()``. An open gate stays open.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
    }

    private let state = Watched(State())

    /// Creates a closed gate.
    public init() {}

    /// The number of tasks that have reached the gate so far.
    public var arrivals: Int { state.value.arrivals }

    /// Waits until the gate is open.
    ///
    /// **Cancellation**: ignored, so that a gate can simulate work that is slow to unwind.
    public func pass() async {
        state.change { $0.arrivals += 1 }
        await state.answer(ignoringCancellation: true) { $0.isOpen ? () : nil }
    }

    /// Waits until a task has reached the gate.
    ///
    /// **Cancellation**: ignored.
    public func reached() async {
        await state.answer(ignoringCancellation: true) { $0.arrivals > 0 ? () : nil }
    }

    /// Lets all tasks pass, the waiting ones in order of arrival, and all later ones.
    public func open() { state.change { $0.isOpen = true } }
}
