public import Synchronization

/// Runs one operation per key, however many callers ask for it.
///
/// The shared operation is a *flight*; who waits for it is a *caller*; its end is a *landing*. What callers may rely on:
///
/// - Equal keys in flight share one operation. It is looked up, entered and joined in one synchronous step, so nothing
///   can come between to start a second one.
/// - Every call to ``value(for:priority:onProgress:operation:)`` ends once: with the value, with the operation's error,
///   or with `CancellationError`. Errors are not remembered.
/// - A caller's cancellation ends its wait at once and does not disturb the others. The last one out cancels the flight
///   in the step that empties it; whoever comes while it unwinds gets a fresh one.
/// - A flight belongs to all of its callers: it is a detached task, which the first caller's cancellation and
///   task-local values do not reach, and it runs at the highest priority that any caller has had.
/// - A flight that has to wait before it begins, for a slot or for another flight, is no task yet: it is an entry where it
///   waits, which is moved forward or taken out in the step that asks for it.
///
/// A caller waits in a continuation of its own and not on the task's handle, because awaiting a handle is not cut short
/// by the cancellation of whoever awaits it.
///
/// Inlinable, so that whoever uses it compiles it for its own keys and values: unspecialised, a load costs a third more.
///
/// A table behind a mutex and not an actor: to join, to leave and to land are synchronous steps, so that cancellation and
/// escalation act inside their handlers, a caller never hops, and a flight begins on its caller's thread.
public final class InFlight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: Sendable {
    /// The shared work.
    ///
    /// It does not run on its callers' actors. It begins within the call that starts it, when that call is where flights
    /// run, and hears of a cancellation or an escalation from its first suspension on.
    ///
    /// `report` tells the callers how far it has come, and never waits. Reports of a flight that has been cancelled or has
    /// landed reach nobody.
    public typealias Operation =
        @concurrent @Sendable (_ report: @escaping @Sendable (Progress) -> Void) async throws -> Value

    @usableFromInline typealias Flight = TaskCoordination.Flight<Key, Value, Progress>

    @usableFromInline struct State {
        @inlinable init() {}
        /// Those that can be joined, and for a moment some that are over.
        @usableFromInline var flights: [Key: Flight] = [:]
        /// How many operations have not returned, those of cancelled flights among them.
        @usableFromInline var operationCount = 0
        /// How many operations go on although their flights are over, and are not waited for.
        @usableFromInline var detachedCount = 0
        @usableFromInline var drainers: [OneShot<Void>] = []
        @usableFromInline var isClosed = false

        /// A flight that was abandoned must not remove the one that took its place.
        @inlinable mutating func remove(_ flight: Flight) {
            if let index = flights.index(forKey: flight.key), flights.values[index] === flight {
                flights.remove(at: index)
            }
        }
    }

    @usableFromInline let name: String
    @usableFromInline let executor: (any TaskExecutor)?
    @usableFromInline let slots: Slots?
    @usableFromInline let state = Mutex(State())

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - name: The name of the flights' tasks, as debuggers show it.
    ///   - executor: Where flights run. `nil` is the default pool.
    ///   - slots: How many run at once; the others are queued by priority, and are no tasks yet. `nil` lets all run.
    public init(name: String, executor: (any TaskExecutor)? = nil, slots: Slots? = nil) {
        self.name = name
        self.executor = executor
        self.slots = slots
    }

    /// How many flights can be joined.
    ///
    /// Those that unwind are not counted.
    public var count: Int { state.withLock { $0.flights.count } }

    /// How many operations have not returned, those of cancelled and detached flights among them.
    ///
    /// Flights that wait to begin are counted, too.
    public var operationCount: Int { state.withLock { $0.operationCount + $0.detachedCount } }

    /// How many callers wait.
    ///
    /// - Complexity: O(`count`).
    public var callerCount: Int {
        let flights = state.withLock { Array($0.flights.values) }
        return flights.reduce(0) { $0 + $1.count }
    }

    /// How many entries there are, of any kind: flights, operations that have not returned, detached ones, too, drainers.
    ///
    /// Told to tests: 0 when nothing goes on.
    package var entryCount: Int {
        state.withLock { $0.flights.count + $0.operationCount + $0.detachedCount + $0.drainers.count }
    }

    /// Joins the flight for `key`, or starts it, and waits for the landing.
    ///
    /// **Cancellation**: returns at once; the flight goes on while another caller waits for it.
    ///
    /// **Isolation**: `onProgress` runs on the caller's actor, in its task.
    ///
    /// **Priority**: the flight rises with its callers and never falls. An explicit `priority` counts instead of the
    /// calling task's own, unless that task is escalated, before the call or while it waits.
    ///
    /// - Parameters:
    ///   - key: What makes two pieces of work equal.
    ///   - priority: The priority to ask for. `nil` is the calling task's own.
    ///   - onProgress: Called in order with the latest progress on joining and with later ones. One who is slow misses
    ///     some, but never the last before the landing; nobody waits for it but its own caller.
    ///   - operation: The work. Dropped unused when there is a flight to join.
    /// - Returns: The value that every caller of the flight gets.
    /// - Throws: What the operation threw; `CancellationError` when the calling task, or every flight, was cancelled;
    ///   ``CoordinationError`` with code `.shutDown` after ``close()``, and what the slots refuse with.
    /// - Complexity: O(1) to join and to land; O(log n) for one of n callers to leave.
    @inlinable @inline(__always) public func value(
        for key: Key, priority: TaskPriority? = nil, onProgress: ((Progress) async -> Void)? = nil,
        operation: @escaping Operation
    ) async throws -> Value {
        try await value(for: key, priority: priority, onProgress: onProgress) { _ in Work(operation: operation) }
    }

    /// Joins the flight for `key`, or starts it, and waits for the landing, as
    /// ``value(for:priority:onProgress:operation:)`` does.
    ///
    /// - Parameter plan: Makes the plan of the flight. Called when there is no flight to join, by this call; what it throws
    ///   every caller of the flight gets.
    @inlinable @inline(__always) public func value(
        for key: Key, priority: TaskPriority? = nil, onProgress: ((Progress) async -> Void)? = nil,
        plan: (Departure) throws -> some FlightPlan<Value, Progress>
    ) async throws -> Value {
        let caller = try board(for: key, priority: priority, from: #isolation, plan: plan)
        return try await caller.value(onProgress: onProgress)
    }

    /// Ends every caller with `CancellationError` and cancels every flight.
    ///
    /// Returns without waiting; see ``drain()``.
    public func cancelAll() {
        let ended = state.withLock { state in
            defer { state.flights = [:] }
            return state.flights.values
        }
        for flight in ended { end(flight, flight.abandon()) }
    }

    /// Refuses every later caller.
    ///
    /// Flights in the air go on and land as usual.
    public func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Raises the flight for `key`, as a caller with that priority would, and does nothing when there is none.
    public func escalate(_ key: Key, to priority: TaskPriority) {
        state.withLock { $0.flights[key] }?.rise(to: priority.rawValue)
    }

    /// Waits until nothing flies: neither a flight that can be joined nor a cancelled one that unwinds. A detached
    /// operation is not waited for.
    ///
    /// **Cancellation**: ignored; the wait lasts as long as the operations take to return.
    public func drain() async {
        let drained = OneShot<Void>()
        let isIdle = state.withLock { state in
            if state.operationCount > 0 { state.drainers.append(drained) }
            return state.operationCount == 0
        }
        if !isIdle { await drained.wait() }
    }
}
