// SPDX-License-Identifier: MIT
#if THREAD_SANITIZER
public import Locks
#else
// The lock is the standard library's.
public import Synchronization
#endif

/// The life of a flight in the table: joined, begun, run, taken out.
///
/// The table's lock is taken before a flight's, never the other way round.
extension InFlight {
    /// Joins the flight for `key`, or starts it.
    @inlinable @inline(never) func join(
        _ key: Key, _ priority: UInt8, lane: () -> String, from isolation: (any Actor)?, isListening: Bool,
        hearing first: Progress?, _ makeOperation: (FlightWork) -> Operation
    ) throws -> (Flight, Flight.Caller, number: Int) {
        let (flight, caller, number, isNew) = try state.withLock { state in
            if state.isClosed {
                throw CoordinationError(code: .shutDown, message: "\(name): shut down; start no more work")
            }
            // One access to the table for lookup and insert, so the key is hashed once.
            let found = subscribe(&state.flights[key], key, priority, isListening, first)
            if found.isNew { state.operations.begin() }
            return found
        }
        guard isNew else {
            flight.rise(to: priority)
            return (flight, caller, number)
        }
        do {
            try begin(flight, priority, lane, from: isolation, makeOperation(flight.work))
        } catch {
            flight.land(.failure(error))
        }
        return (flight, caller, number)
    }

    @inlinable func subscribe(
        _ entry: inout Flight?, _ key: Key, _ priority: UInt8, _ isListening: Bool, _ first: Progress?
    ) -> (Flight, Flight.Caller, number: Int, isNew: Bool) {
        if let flight = entry, let (caller, number) = flight.join(priority, isListening: isListening, hearing: first) {
            return (flight, caller, number, false)
        }
        let flight = Flight(key, in: self, priority: priority)
        entry = flight
        // A new flight is not over.
        let (caller, number) = flight.join(priority, isListening: isListening, hearing: first)!
        return (flight, caller, number, true)
    }

    /// Waits for the end of the flight, while cancellation and escalation of the calling task reach it.
    ///
    /// Not inlined: what a suspended caller keeps is this function's frame.
    @inlinable @inline(never) static func wait(
        for flight: Flight, _ caller: Flight.Caller, _ number: Int, _ onProgress: ((Progress) async -> Void)?
    ) async throws -> Value {
        // The work may be done already, without a suspension.
        if onProgress == nil, let value = try caller.value() { return value }
        await withTaskCancellationHandler {
            await withPriorityEscalation(to: { flight.raise(number, to: $0) }) {
                if let onProgress { await caller.listen(onProgress) } else { await caller.wait() }
            }
        } onCancel: {
            flight.leave(number)
        }
        if let value = try caller.value() { return value }
        throw CancellationError()
    }

    /// Waits as the work of a flight of another table, whose callers move this one.
    @inlinable @inline(never) static func wait(
        for flight: Flight, _ caller: Flight.Caller, _ number: Int, _ onProgress: ((Progress) async -> Void)?,
        within work: FlightWork
    ) async throws -> Value {
        work.awaits { flight.move(number, to: $0) }
        defer { work.awaits(nil) }
        return try await wait(for: flight, caller, number, onProgress)
    }

    /// Starts the flight, now or when its slot is there.
    @inlinable func begin(
        _ flight: Flight, _ priority: UInt8, _ lane: () -> String, from isolation: (any Actor)?,
        _ operation: @escaping Operation
    ) throws {
        guard let slots else { return start(flight, inPlace: startsInPlace(from: isolation), operation) }
        let admission = try slots.enter(priority, lane: lane()) { answer in
            switch answer {
            case .success(let permit):
                flight.state.withLock { $0.permit = permit }
                flight.table.start(flight, inPlace: false, operation)
            case .failure(let refusal): flight.land(.failure(refusal))
            }
        }
        switch admission {
        case .permit(let permit):
            flight.state.withLock { $0.permit = permit }
            start(flight, inPlace: startsInPlace(from: isolation), operation)
        case .place(let place):
            flight.state.withLock { $0.handles.place = place }
            flight.apply { $0.began(at: priority) }
        }
    }

    /// Makes the flight's task.
    ///
    /// Detached: the work is shared, so no caller's cancellation or task-local values may govern it. The flight owns
    /// the handle; the last caller to leave and ``cancelAll()`` cancel it, ``drain()`` waits for its end.
    @inlinable func start(_ flight: Flight, inPlace: Bool, _ operation: @escaping Operation) {
        guard let raw = flight.state.withLock({ $0.machine.start() }) else {
            return flight.land(.failure(CancellationError()))
        }
        let priority = TaskPriority(rawValue: raw)
        let task =
            if inPlace {
                Task.immediateDetached(priority: priority, executorPreference: executor) {
                    await flight.table.run(flight, operation)
                }
            } else {
                Task.detached(executorPreference: executor, priority: priority) {
                    await flight.table.run(flight, operation)
                }
            }
        flight.state.withLock { $0.handles.task = task }
        flight.apply { $0.began(at: raw) }
    }

    @inlinable func run(_ flight: Flight, _ operation: Operation) async {
        let result: Result<Value, any Error>
        do {
            result = .success(try await operation { flight.report($0) })
        } catch {
            result = .failure(error)
        }
        flight.land(result)
    }

    /// Whether the caller is where flights run, so that work which need not wait costs no change of threads.
    ///
    /// Asked, because an immediate task runs on whatever thread starts it until it suspends: also on a caller's actor,
    /// and whatever executor it prefers.
    @inlinable func startsInPlace(from isolation: (any Actor)?) -> Bool {
        guard isolation == nil else { return false }
        let here = unsafe withUnsafeCurrentTask { task in unsafe task?.unownedTaskExecutor }
        return unsafe here == executor?.asUnownedTaskExecutor()
    }
}

// MARK: - Taking out

extension InFlight {
    /// Takes the flight out, so that no caller joins it. An abandoned flight must not remove the one that took its
    /// place.
    @inlinable func remove(_ flight: Flight) {
        state.withLock { $0.remove(flight) }
    }

    /// The operation has returned, or will never begin: its slot is given back.
    @inlinable func finish(_ flight: Flight) {
        if let slots, let permit = flight.state.withLock({ $0.permit.take() }) { slots.release(permit) }
        let drainers = state.withLock { state -> [OneShot<Void>] in
            state.remove(flight)
            return state.operations.end()
        }
        drainers.resume()
    }
}

extension InFlight.State {
    @inlinable mutating func remove(_ flight: InFlight.Flight) {
        guard let index = flights.index(forKey: flight.key), flights.values[index] === flight else { return }
        flights.remove(at: index)
    }
}
