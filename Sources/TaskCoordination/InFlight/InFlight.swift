/// Runs one operation per key, however many callers ask for it.
///
/// The shared operation is a *flight*; who waits for it is a *caller*; its end is a *landing*. What callers may rely on:
///
/// - Equal keys in flight share one operation. It is looked up, started and joined in one synchronous stretch, so
///   reentrancy cannot start a second one.
/// - Every call to ``value(for:priority:onProgress:operation:)`` ends once: with the value, with the operation's error,
///   or with `CancellationError`. Errors are not remembered.
/// - A caller's cancellation returns to it at once and does not disturb the others. The last one out takes the flight
///   from the table and cancels it in one synchronous step; whoever comes while it unwinds gets a fresh one.
/// - A flight belongs to all of its callers: it is a detached task, which the first caller's cancellation and
///   task-local values do not reach, and it runs at the highest priority that any caller has had.
///
/// A caller waits in a one-shot and not on the task's handle, because awaiting a handle is not cut short by the
/// cancellation of whoever awaits it.
public actor InFlight<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable> {
    /// The shared work.
    ///
    /// It runs off this actor, and off the callers' actors.
    ///
    /// `report` returns when every caller present has observed the progress; reports of a flight that has been
    /// cancelled or has landed are dropped.
    public typealias Operation =
        @concurrent @Sendable (_ report: @escaping @Sendable (Progress) async -> Void) async throws -> Value

    private typealias Landing = Result<Value, any Error>

    /// Told how far a flight has come.
    ///
    /// Asynchronous so that a flight can pass it on to another table: while it hops, the operation waits in its `report`,
    /// and a report cannot overtake an earlier one.
    public typealias Observer = @Sendable (Progress) async -> Void

    /// A caller who wants to hear of progress.
    private struct Watcher {
        let seat: Seat
        let observe: Observer
    }

    /// Where a caller waits.
    ///
    /// `true` when the flight has landed, `false` when the caller was cancelled.
    ///
    /// Not generic, so the hot path of ten thousand callers is specialised in this module.
    private typealias Seat = OneShot<Bool>

    /// What a caller leaves with.
    private struct Ticket {
        let seat: Int
        let watcher: Int?
    }

    /// Never leaves the actor.
    private final class Flight {
        let id: UInt64
        let task: Task<Void, Never>
        var callers = CallerList<Seat>()
        var watchers = CallerList<Watcher>()
        var landing: Landing?
        var priority: TaskPriority
        let progress: ProgressBoard<Progress>

        init(id: UInt64, task: Task<Void, Never>, priority: TaskPriority, progress: ProgressBoard<Progress>) {
            self.id = id
            self.task = task
            self.priority = priority
            self.progress = progress
        }
    }

    private let name: String
    private let executor: (any TaskExecutor)?
    private var flights: [Key: Flight] = [:]
    /// Cancelled and not finished.
    ///
    /// Kept so that `drain()` can await them.
    private var unwinding: [UInt64: Task<Void, Never>] = [:]
    private var lastID: UInt64 = 0
    private var isClosed = false

    /// Creates an empty table.
    ///
    /// - Parameters:
    ///   - name: The name of the flights' tasks, as debuggers show it.
    ///   - executor: Where flights run. `nil` is the default pool.
    public init(name: String, executor: (any TaskExecutor)? = nil) {
        self.name = name
        self.executor = executor
    }

    /// How many flights can be joined.
    ///
    /// Those that unwind are not counted.
    public var count: Int { flights.count }

    /// How many callers wait.
    ///
    /// - Complexity: O(`count`).
    public var callerCount: Int { flights.values.reduce(0) { $0 + $1.callers.count } }

    /// Joins the flight for `key`, or starts it, and waits for the landing.
    ///
    /// **Cancellation**: returns at once; the flight goes on while another caller waits for it.
    ///
    /// **Priority**: the flight rises with its callers and never falls. An explicit `priority` counts instead of the
    /// calling task's own, until that task is escalated while it waits.
    ///
    /// - Parameters:
    ///   - key: What makes two pieces of work equal.
    ///   - priority: The priority to ask for. `nil` is the calling task's own.
    ///   - onProgress: Called in order with the latest progress on joining and with every later one; not called any
    ///     more once this call has returned. The operation waits for it, so it must be quick.
    ///   - operation: The work. Dropped unused when there is a flight to join.
    /// - Returns: The value that every caller of the flight gets.
    /// - Throws: What the operation threw; `CancellationError` when the calling task, or every flight, was cancelled;
    ///   ``CoordinationError`` with code `.shutDown` after ``close()``.
    /// - Complexity: O(1) to join and to land; O(log n) for one of n callers to leave.
    public func value(
        for key: Key, priority: TaskPriority? = nil, onProgress: Observer? = nil,
        operation: @escaping Operation
    ) async throws -> Value {
        try Task.checkCancellation()
        let seat = Seat()
        let own = Task.currentPriority
        let (flight, ticket) = try join(key, seat, onProgress, priority ?? own, operation)
        let task = flight.task
        if let onProgress, let latest = flight.progress.watch() { await onProgress(latest) }
        let hasLanded = await withTaskPriorityEscalationHandler {
            // An escalation from before the handler was in place is not replayed, but it shows.
            if Task.currentPriority > own { task.escalatePriority(to: Task.currentPriority) }
            return await self.wait(in: seat)
        } onPriorityEscalated: { _, new in
            task.escalatePriority(to: new)
        }
        if hasLanded, let landing = flight.landing { return try landing.get() }
        leave(flight, key, ticket)
        throw CancellationError()
    }

    /// Ends every caller with `CancellationError` and cancels every flight.
    ///
    /// Returns without waiting; see ``drain()``.
    public func cancelAll() {
        let ended = flights.values
        flights = [:]
        for flight in ended {
            unwinding[flight.id] = flight.task
            flight.task.cancel()
            for seat in flight.callers.present { seat.resolve(false) }
        }
    }

    /// Refuses every later caller.
    ///
    /// Flights in the air go on and land as usual.
    public func close() {
        isClosed = true
    }

    /// Raises the flight for `key`, as a caller with that priority would, and does nothing when there is none.
    public func escalate(_ key: Key, to priority: TaskPriority) {
        guard let flight = flights[key], priority > flight.priority else { return }
        flight.priority = priority
        flight.task.escalatePriority(to: priority)
    }

    /// Waits until nothing flies: neither a flight that can be joined nor a cancelled one that unwinds.
    ///
    /// **Cancellation**: ignored; the wait lasts as long as the operations take to return.
    public func drain() async {
        while let task = unwinding.values.first ?? flights.values.first?.task { await task.value }
    }
}

// MARK: - The life of a flight

extension InFlight {
    /// Lookup, insert and subscribe, without a suspension in between.
    private func join(
        _ key: Key, _ seat: Seat, _ observer: Observer?, _ priority: TaskPriority, _ operation: @escaping Operation
    ) throws -> (Flight, Ticket) {
        if isClosed {
            throw CoordinationError(code: .shutDown, message: "\(name): shut down; start no more work")
        }
        let flight = flights[key] ?? takeOff(key, priority, operation)
        let watcher = observer.map { flight.watchers.join(Watcher(seat: seat, observe: $0)) }
        let ticket = Ticket(seat: flight.callers.join(seat), watcher: watcher)
        if priority > flight.priority {
            flight.priority = priority
            flight.task.escalatePriority(to: priority)
        }
        return (flight, ticket)
    }

    /// Detached: the work is shared, so no caller's cancellation or task-local values may govern it.
    ///
    /// The table owns the handle; the last caller out and ``cancelAll()`` cancel it, ``drain()`` awaits it.
    private func takeOff(_ key: Key, _ priority: TaskPriority, _ operation: @escaping Operation) -> Flight {
        lastID += 1
        let id = lastID
        let progress = ProgressBoard<Progress>()
        let body: @concurrent @Sendable () async -> Void = {
            let landing: Landing
            do {
                landing = .success(
                    try await operation { latest in
                        // No hop while nobody watches: most loads are not watched.
                        if progress.note(latest) { await self.advance(key, id, latest) }
                    })
            } catch {
                landing = .failure(error)
            }
            await self.land(key, id, landing)
        }
        let task =
            if let executor {
                Task.detached(name: name, executorPreference: executor, priority: priority, operation: body)
            } else {
                Task.detached(name: name, priority: priority, operation: body)
            }
        let flight = Flight(id: id, task: task, priority: priority, progress: progress)
        flights[key] = flight
        return flight
    }

    private func wait(in seat: Seat) async -> Bool {
        await withTaskCancellationHandler {
            await self.parked(in: seat)
        } onCancel: {
            seat.resolve(false)
        }
    }

    /// On the actor, so that no hop is paid for parking.
    private func parked(in seat: Seat) async -> Bool {
        await unsafe withUnsafeContinuation { unsafe seat.park($0) }
    }

    private func advance(_ key: Key, _ id: UInt64, _ progress: Progress) async {
        guard let flight = flights[key], flight.id == id else { return }
        flight.progress.told(progress)
        // A copy, because an observer may suspend; who has left meanwhile is not told.
        for watcher in Array(flight.watchers.present) where !watcher.seat.isResolved {
            await watcher.observe(progress)
        }
    }

    private func land(_ key: Key, _ id: UInt64, _ landing: Landing) {
        unwinding[id] = nil
        // A flight that was abandoned must not remove, or answer for, the one that took its place.
        guard let flight = flights[key], flight.id == id else { return }
        flights[key] = nil
        flight.landing = landing
        for seat in flight.callers.present { seat.resolve(true) }
    }

    private func leave(_ flight: Flight, _ key: Key, _ ticket: Ticket) {
        flight.callers.leave(ticket.seat)
        if let watcher = ticket.watcher { flight.watchers.leave(watcher) }
        guard flight.callers.isEmpty, flights[key] === flight else { return }
        flights[key] = nil
        unwinding[flight.id] = flight.task
        flight.task.cancel()
    }
}
