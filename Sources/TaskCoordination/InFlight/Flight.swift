// SPDX-License-Identifier: MIT
public import Locks

/// Where the work of a flight is, and what it waits for. Not nested: the runtime would look for a type of its own for
/// each kind of flight.
@usableFromInline struct FlightHandles: Sendable {
    /// The work; `nil` while it waits for a slot.
    @usableFromInline var task: Task<Void, Never>?
    /// Where the work waits in the queue for a slot.
    @usableFromInline var place: Slots.Place?
    /// Moves the flight of another table that the task awaits.
    @usableFromInline var moveAwaited: (@Sendable (UInt8) -> Void)?

    @inlinable init() {}
}

/// One piece of shared work, as the table holds it: the `Task` that does it, and the callers that wait for it.
///
/// ``FlightStateMachine`` decides what follows from each event; this type performs it, once the lock is released.
@usableFromInline final class Flight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: Sendable {
    @usableFromInline typealias Caller = FlightCaller<Value, Progress>
    @usableFromInline typealias Machine = FlightStateMachine<Caller>

    @usableFromInline struct State {
        @usableFromInline var machine: Machine
        @usableFromInline var handles = FlightHandles()
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
    @inlinable func report(_ progress: Progress) {
        let report = state.withLock { state in
            let report = state.machine.report()
            if let report { state.report = (progress, report.number) }
            return report
        }
        guard let report else { return }
        for entry in report.callers { entry.caller.tell((progress, report.number)) }
    }

    @inlinable func rise(to priority: UInt8) { apply { $0.rise(to: priority) } }
    @inlinable func hold(at priority: UInt8) { apply { $0.hold(at: priority) } }
    @inlinable func move(_ number: Int, to priority: UInt8) { apply { $0.move(number, to: priority) } }
    @inlinable func raise(_ number: Int, to priority: UInt8) { apply { $0.raise(number, to: priority) } }
    @inlinable func leave(_ number: Int) { apply { $0.leave(number) } }
    @inlinable func cancelAll() { apply { $0.cancelAll() } }
    @inlinable func land(_ result: Result<Value, any Error>) { apply(result) { $0.land() } }

    /// Takes one step of the state machine under the lock, and performs what follows from it after the lock is
    /// released: handlers of cancellation and escalation take the lock too, and run within the calls made here.
    ///
    /// - Parameter result: What callers are told that do not leave by themselves.
    @inlinable func apply(
        _ result: Result<Value, any Error>? = nil, _ step: (inout Machine) -> Machine.Action
    ) {
        var handles: FlightHandles?
        let action = state.withLock { state in
            let action = step(&state.machine)
            if case .nothing = action { return action }
            handles = state.handles
            return action
        }
        if let handles { perform(action, handles, result) }
    }

    /// Apart from the step, which most often leads to nothing.
    @inlinable func perform(_ action: Machine.Action, _ handles: FlightHandles, _ result: Result<Value, any Error>?) {
        switch action {
        case .nothing: break
        case .move(let priority): move(handles, to: priority)
        case .dismiss(let caller, let priority):
            if let priority { move(handles, to: priority) }
            caller.cancel()
        case .abandon(let callers):
            table.remove(self)
            handles.task?.cancel()
            if handles.place?.leave() == true { table.finish(self) }
            for entry in callers { entry.caller.cancel() }
        case .deliver(let callers):
            table.finish(self)
            if let result { for entry in callers { entry.caller.end(with: result) } }
        }
    }

    /// A task ignores a lower priority. A place that has been left, and a flight that has landed, ignore every one.
    @inlinable func move(_ handles: FlightHandles, to priority: UInt8) {
        handles.task?.escalatePriority(to: TaskPriority(rawValue: priority))
        guard handles.place != nil || handles.moveAwaited != nil else { return }
        handles.place?.move(to: priority)
        handles.moveAwaited?(priority)
        // Another step may have moved it between the decision and its execution. The last to execute sees the last
        // decision.
        apply { $0.began(at: priority) }
    }
}

/// What the work of a flight may ask of it.
///
/// Two closures and no protocol: they are compiled for one kind of flight, where a witness asks the runtime for the
/// types of its own.
@usableFromInline package struct FlightWork: Sendable {
    /// The work awaits a flight of another table, which the closure moves, or no longer.
    @usableFromInline let awaits: @Sendable (_ move: (@Sendable (UInt8) -> Void)?) -> Void

    /// Runs a part of the work without the flight's slot, and waits for one again, in a lane.
    @usableFromInline package let withoutSlot:
        @Sendable (_ lane: String, _ body: @Sendable () async throws -> Void) async throws -> Void

    @inlinable package init(
        awaits: @escaping @Sendable (_ move: (@Sendable (UInt8) -> Void)?) -> Void,
        withoutSlot: @escaping @Sendable (String, @Sendable () async throws -> Void) async throws -> Void
    ) {
        (self.awaits, self.withoutSlot) = (awaits, withoutSlot)
    }
}

extension Flight {
    @inlinable var work: FlightWork {
        FlightWork(awaits: { self.awaits($0) }, withoutSlot: { try await self.withoutSlot(lane: $0, $1) })
    }

    @inlinable func awaits(_ move: (@Sendable (UInt8) -> Void)?) {
        let (handles, priority) = state.withLock { state in
            state.handles.moveAwaited = move
            return (state.handles, state.machine.priority)
        }
        if move != nil { self.move(handles, to: priority) }
    }

    @inlinable func withoutSlot(lane: String, _ body: @Sendable () async throws -> Void) async throws {
        guard let slots = table.slots, let permit = state.withLock({ $0.permit.take() }) else {
            return try await body()
        }
        slots.release(permit)
        try await body()
        let other = try await slots.acquire(priority: nil, lane: lane)
        let isTaken = state.withLock { state in
            // A task that the operation has started may come here after it has returned.
            guard state.machine.phase != .landed else { return false }
            state.permit = other
            return true
        }
        if !isTaken { slots.release(other) }
    }
}
