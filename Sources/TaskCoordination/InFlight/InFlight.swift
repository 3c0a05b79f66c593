// SPDX-License-Identifier: MIT
public import Locks

/// Runs one operation per key, however many callers ask for it.
///
/// The shared operation is a *flight*, each task that waits for it is a *caller*, and its end is a *landing*. What
/// callers may rely on:
///
/// - Equal keys in flight share one operation. It is looked up, entered and joined in one synchronous step, so nothing
///   can come between to start a second one.
/// - Every call to ``value(for:priority:onProgress:operation:)`` ends once: with the value, with the operation's error,
///   or with `CancellationError`. Errors are not remembered.
/// - A caller's cancellation ends its wait at once and does not disturb the others. The last caller to leave cancels
///   the flight in the step that empties it; a caller that comes while the flight unwinds gets a fresh one.
/// - A flight belongs to all of its callers: it is a detached task, which the first caller's cancellation and
///   task-local values do not reach, and it runs at the highest priority that any caller has had since it began.
/// - A flight that waits for a slot has no task yet: it is an entry in the queue.
///
/// The work is split in three: this type is the face and the dictionary, `Flight` holds one flight's `Task` and
/// performs what follows from each event, `FlightStateMachine` decides what follows.
///
/// A table behind a mutex and not an actor: to join, to leave and to land are synchronous steps, so cancellation and
/// escalation act inside their handlers, and a caller never hops.
public final class InFlight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: Sendable {
    /// The shared work.
    ///
    /// It does not run on its callers' actors. It begins within the call that starts it, when that call is where
    /// flights run, and hears of a cancellation or an escalation from its first suspension on.
    ///
    /// `report` tells the callers how far it has come, and never waits. Reports of a flight that has been cancelled or
    /// has landed are dropped.
    public typealias Operation =
        @Sendable (_ report: @escaping @Sendable (Progress) -> Void) async throws -> Value

    @usableFromInline typealias Flight = TaskCoordination.Flight<Key, Value, Progress>

    @usableFromInline struct State {
        /// Those that can be joined, and for a moment some that are over.
        @usableFromInline var flights: [Key: Flight] = [:]
        /// Operations that have not returned, those of cancelled flights among them.
        @usableFromInline var operations = WorkCount()
        @usableFromInline var isClosed = false

        @inlinable init() {}
    }

    @usableFromInline let name: String
    @usableFromInline let executor: (any TaskExecutor)?
    @usableFromInline let slots: Slots?
    @usableFromInline let state = Mutex(State())

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - name: What the messages of errors call this table.
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

    /// How many operations have not returned, those of cancelled flights among them.
    ///
    /// Flights that wait to begin are counted, too.
    public var operationCount: Int { state.withLock { $0.operations.value } }

    /// How many callers wait.
    ///
    /// - Complexity: O(`count`).
    public var callerCount: Int {
        let flights = state.withLock { Array($0.flights.values) }
        return flights.reduce(0) { $0 + $1.state.withLock { $0.machine.callers.count } }
    }

    /// How many entries there are, of any kind: flights, operations that have not returned, drainers.
    ///
    /// For tests: 0 when nothing goes on.
    package var entryCount: Int {
        state.withLock { $0.flights.count + $0.operations.value + $0.operations.waiterCount }
    }

    /// Joins the flight for `key`, or starts it, and waits for the landing.
    ///
    /// **Cancellation**: returns at once; the flight goes on while another caller waits for it.
    ///
    /// **Isolation**: `onProgress` runs on the caller's actor, in its task.
    ///
    /// **Priority**: that of the most urgent caller; work that has begun only rises. An explicit `priority` counts
    /// instead of the calling task's own, unless that task is escalated, before the call or while it waits.
    ///
    /// - Parameters:
    ///   - key: What makes two pieces of work equal.
    ///   - priority: The priority to ask for. `nil` is the calling task's own.
    ///   - onProgress: Called in order with the latest progress on joining and with later ones. A slow listener misses
    ///     some, but never the last before the landing; only its own caller waits for it.
    ///   - operation: The work. Dropped unused when there is a flight to join.
    /// - Returns: The value that every caller of the flight gets.
    /// - Throws: What the operation threw; `CancellationError` when the calling task, or every flight, was cancelled;
    ///   ``CoordinationError`` with code `.shutDown` after ``close()``, and what the slots refuse with.
    /// - Complexity: O(1) to join and to land; O(log n) for one of n callers to leave.
    @inlinable @inline(__always) public func value(
        for key: Key, priority: TaskPriority? = nil, onProgress: ((Progress) async -> Void)? = nil,
        operation: @escaping Operation
    ) async throws -> Value {
        try await value(for: key, priority: priority, onProgress: onProgress, starting: { _ in operation })
    }

    /// Joins the flight for `key`, or starts it, and waits for the landing, as
    /// ``value(for:priority:onProgress:operation:)`` does.
    ///
    /// - Parameters:
    ///   - lane: The lane in which a new flight waits for a slot; see ``Slots``.
    ///   - first: The progress to hear on joining when there is none yet.
    ///   - work: That of a flight of another table, which the calling task does. Its callers decide the priority from
    ///     now on.
    ///   - makeOperation: Makes the work, within this call, when there is no flight to join.
    @inlinable @inline(__always) package func value(
        for key: Key, priority: TaskPriority? = nil, lane: @autoclosure () -> String = "",
        onProgress: ((Progress) async -> Void)? = nil, hearing first: Progress? = nil,
        within work: FlightWork? = nil, starting makeOperation: (FlightWork) -> Operation
    ) async throws -> Value {
        try Task.checkCancellation()
        let (flight, caller, number) = try join(
            key, (priority ?? Task.currentPriority).rawValue, lane: lane, from: #isolation,
            isListening: onProgress != nil, hearing: first, makeOperation)
        if let work { return try await Self.wait(for: flight, caller, number, onProgress, within: work) }
        return try await Self.wait(for: flight, caller, number, onProgress)
    }

    /// Ends every caller with `CancellationError` and cancels every flight.
    ///
    /// From this call on no caller joins one of them. The first flights end within the call; when there are more, a
    /// task ends the others in slices, so that the call takes no longer for 100,000 flights than for some hundred. A
    /// flight that lands before its slice delivers its value. See ``drain()`` for waiting.
    public func cancelAll() {
        let ended = state.withLock { state in
            defer { state.flights = [:] }
            return state.flights
        }
        var rest = ended.values.makeIterator()
        if Self.cancelSlice(of: &rest) { return }
        // Unstructured: the caller must not wait for it. It ends by itself, and `drain()` waits for the flights it
        // ends.
        Task.detached(name: "cancel \(name)", executorPreference: executor, priority: Task.currentPriority) { [rest] in
            var rest = rest
            while !Self.cancelSlice(of: &rest) { await Task.yield() }
        }
    }

    /// - Returns: Whether that was the last slice.
    private static func cancelSlice(of flights: inout Dictionary<Key, Flight>.Values.Iterator) -> Bool {
        for _ in 0..<128 {
            guard let flight = flights.next() else { return true }
            flight.cancelAll()
        }
        return false
    }

    /// Ends every caller of some flights with `CancellationError`, and cancels these flights, within the call.
    ///
    /// - Parameter isMeant: Whether the flight of a key is one of them. Called under the lock.
    /// - Complexity: O(number of flights).
    package func cancel(where isMeant: (Key) -> Bool) {
        let ended = state.withLock { state in
            let ended = state.flights.values.filter { isMeant($0.key) }
            for flight in ended { state.remove(flight) }
            return ended
        }
        for flight in ended { flight.cancelAll() }
    }

    /// Refuses every later caller.
    ///
    /// Flights in the air go on and land as usual.
    public func close() { state.withLock { $0.isClosed = true } }

    /// Raises the flight for `key`, whichever callers it has and keeps, and does nothing when there is none.
    public func escalate(_ key: Key, to priority: TaskPriority) {
        state.withLock { $0.flights[key] }?.hold(at: priority.rawValue)
    }

    /// Raises some flights, whichever callers they have and keep.
    ///
    /// - Parameter isMeant: Whether the flight of a key is one of them. Called under the lock.
    /// - Complexity: O(number of flights).
    package func escalate(to priority: TaskPriority, where isMeant: (Key) -> Bool) {
        let raised = state.withLock { state in state.flights.values.filter { isMeant($0.key) } }
        for flight in raised { flight.hold(at: priority.rawValue) }
    }

    /// Waits until nothing flies: neither a flight that can be joined nor a cancelled one that unwinds.
    ///
    /// **Cancellation**: ignored; the wait lasts as long as the operations take to return.
    public func drain() async {
        await state.withLock { $0.operations.untilIdle() }?.wait()
    }
}
