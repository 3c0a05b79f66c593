// SPDX-License-Identifier: MIT
public import Locks

/// One piece of shared work, as the table holds it: the `Task` that does it, and the callers that wait for it.
///
/// ``FlightStateMachine`` decides what follows from each event; this type performs it, once the lock is released.
@usableFromInline final class Flight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: Sendable {
    @usableFromInline typealias Caller = FlightCaller<Value, Progress>
    @usableFromInline typealias Machine = FlightStateMachine<Caller>

    @usableFromInline struct State {
        @usableFromInline var machine: Machine
        /// The work; `nil` while it waits for a slot, or for another flight.
        @usableFromInline var task: Task<Void, Never>?
        /// Where the work waits until it gets its task.
        @usableFromInline var place: FlightPlace?
        /// The slot that it holds.
        @usableFromInline var permit: Slots.Permit?
        /// The latest report, for callers that join later.
        @usableFromInline var report: Caller.Report?

        @inlinable init(priority: UInt8) { machine = Machine(priority: priority) }
    }

    @usableFromInline let key: Key
    @usableFromInline let table: InFlight<Key, Value, Progress>
    @usableFromInline let state: Mutex<State>

    @inlinable init(_ key: Key, in table: InFlight<Key, Value, Progress>, priority: UInt8) {
        self.key = key
        self.table = table
        state = Mutex(State(priority: priority))
    }
    @inlinable deinit {}

    /// Adds a caller; `nil` when the flight is over.
    ///
    /// - Parameter first: What it hears when there is no report yet.
    @inlinable func join(_ priority: UInt8, isListening: Bool, hearing first: Progress? = nil) -> (Caller, number: Int)?
    {
        state.withLock { state in
            let caller = Caller(isListening: isListening, report: state.report ?? first.map { ($0, 0) })
            return state.machine.join(caller, priority).map { (caller, $0) }
        }
    }

    /// Passes a report on to the callers.
    ///
    /// - Parameter number: As for ``FlightStateMachine/report(number:)``.
    @inlinable func report(_ progress: Progress, number: Int? = nil) {
        let report = state.withLock { state in
            let report = state.machine.report(number: number)
            if let report { state.report = (progress, report.number) }
            return report
        }
        guard let report else { return }
        for entry in report.callers { entry.caller.tell((progress, report.number)) }
    }

    /// The work of this flight waits there as one of the callers of another flight, or no longer.
    @inlinable func waits(at place: FlightPlace?) {
        let priority = state.withLock { state in
            state.place = place
            return state.machine.priority
        }
        if let place { move(nil, place, priority) }
    }

    @inlinable func rise(to priority: UInt8) { apply { $0.rise(to: priority) } }
    @inlinable func hold(at priority: UInt8) { apply { $0.hold(at: priority) } }
    @inlinable func move(_ number: Int, to priority: UInt8) { apply { $0.move(number, to: priority) } }
    @inlinable func raise(_ number: Int, to priority: UInt8) { apply { $0.raise(number, to: priority) } }
    @inlinable func leave(_ number: Int) { apply { $0.leave(number) } }
    @inlinable func cancelAll() { apply { $0.cancelAll() } }
    @inlinable func land(_ result: Result<Value, any Error>) { apply(result) { $0.land() } }

    /// Ends the flight with `error` while its work, which is cancelled, goes on.
    ///
    /// - Returns: `false`, and nothing happens, when the work has not begun, has returned, or goes on alone already.
    @inlinable func detach(throwing error: any Error) -> Bool { apply(.failure(error)) { $0.detach() } }

    /// Takes one step of the state machine under the lock, and performs what follows from it after the lock is
    /// released: handlers of cancellation and escalation take the lock too, and run within the calls made here.
    ///
    /// - Parameter result: What callers are told that do not leave by themselves.
    /// - Returns: Whether anything followed.
    @discardableResult
    @inlinable func apply(
        _ result: Result<Value, any Error>? = nil, _ step: (inout Machine) -> Machine.Action
    ) -> Bool {
        var (task, place): (Task<Void, Never>?, FlightPlace?)
        let action = state.withLock { state in
            (task, place) = (state.task, state.place)
            return step(&state.machine)
        }
        if case .nothing = action { return false }
        perform(action, task, place, result)
        return true
    }

    /// Apart from the step, which most often leads to nothing.
    @inlinable func perform(
        _ action: Machine.Action, _ task: Task<Void, Never>?, _ place: FlightPlace?, _ result: Result<Value, any Error>?
    ) {
        switch action {
        case .nothing: break
        case .move(let priority): move(task, place, priority)
        case .dismiss(let caller, let priority):
            if let priority { move(task, place, priority) }
            caller.cancel()
        case .abandon(let callers):
            table.remove(self)
            task?.cancel()
            if place?.leave() == true { table.finish(self) }
            for entry in callers { entry.caller.cancel() }
        case .deliver(let callers):
            table.finish(self)
            if let result { for entry in callers { entry.caller.end(with: result) } }
        case .release(let callers):
            table.finish(self, goesOn: true)
            task?.cancel()
            if let result { for entry in callers { entry.caller.end(with: result) } }
        case .unwound: table.finish(self)
        case .returned: table.forgetDetached()
        }
    }

    /// A task ignores a lower priority, and a place that has been left ignores every one.
    @inlinable func move(_ task: Task<Void, Never>?, _ place: FlightPlace?, _ priority: UInt8) {
        task?.escalatePriority(to: TaskPriority(rawValue: priority))
        guard let place else { return }
        place.move(to: priority)
        // Another step may have moved it between the decision and its execution. The last to execute sees the last
        // decision.
        apply { $0.began(at: priority) }
    }

    /// Runs a part of the operation without the slot, and waits for one again.
    @inlinable func withoutSlot(lane: String, _ body: @Sendable () async throws -> Void) async throws {
        guard let slots = table.slots, let permit = state.withLock({ $0.permit.take() }) else {
            return try await body()
        }
        slots.release(permit)
        try await body()
        let other = try await slots.acquire(priority: nil, lane: lane)
        let isTaken = state.withLock { state in
            // An operation that goes on without its flight needs no slot.
            guard state.machine.work == .running else { return false }
            state.permit = other
            return true
        }
        if !isTaken { slots.release(other) }
    }
}

extension Flight: FlightOperating {}
