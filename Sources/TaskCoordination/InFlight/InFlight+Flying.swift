public import Synchronization

/// The life of a flight: boarding, waiting to begin, running, landing, and being left.
extension InFlight {
    /// Joins the flight for `key`, or starts it.
    @inlinable func board(
        _ key: Key, _ priority: UInt8, from isolation: (any Actor)?,
        _ plan: (Departure) throws -> some FlightPlan<Value, Progress>
    ) throws -> (Flight, seat: Int) {
        let (flight, seat, isNew) = try join(key, priority)
        if isNew {
            do {
                let departure = Departure(flight: flight, priority: priority, isolation: isolation)
                try takeOff(flight, priority, from: isolation, plan(departure))
            } catch {
                land(flight, .failure(error))
            }
        } else {
            flight.rise(to: priority)
        }
        return (flight, seat)
    }

    /// Lookup, insert and subscribe, in one step.
    @inlinable func join(_ key: Key, _ priority: UInt8) throws -> (Flight, seat: Int, isNew: Bool) {
        try state.withLock { state in
            if state.isClosed {
                throw CoordinationError(code: .shutDown, message: "\(name): shut down; start no more work")
            }
            // One access to the table for both, so that the key is hashed once.
            let (flight, seat, isNew) = subscribe(&state.flights[key], key, priority)
            if isNew { state.operationCount += 1 }
            return (flight, seat, isNew)
        }
    }

    @inlinable func subscribe(
        _ entry: inout Flight?, _ key: Key, _ priority: UInt8
    ) -> (Flight, seat: Int, isNew: Bool) {
        if let flight = entry, let seat = flight.join() { return (flight, seat, false) }
        let flight = Flight(self, key: key, priority: priority)
        entry = flight
        return (flight, flight.join()!, true)
    }

    /// Starts the flight, or lets it wait for a slot or for another flight.
    @inlinable func takeOff(
        _ flight: Flight, _ priority: UInt8, from isolation: (any Actor)?, _ plan: some FlightPlan<Value, Progress>
    ) throws {
        if let reservation = try reservation(flight, priority, plan) {
            if flight.wait(for: reservation, priority: priority) { end(flight, .neverBegins) }
        } else {
            start(flight, priority, inPlace: startsInPlace(from: isolation), plan)
        }
    }

    /// - Returns: `nil` when there is nothing to wait for, or no longer.
    @inlinable func reservation(
        _ flight: Flight, _ priority: UInt8, _ plan: some FlightPlan<Value, Progress>
    ) throws -> Reservation? {
        if let slots {
            let place = try slots.enter(priority, lane: plan.lane) { refusal in
                if let refusal {
                    flight.table.land(flight, .failure(refusal))
                } else {
                    flight.table.begin(flight, plan)
                }
            }
            return place.map { .slot($0) }
        }
        guard let connection = plan.connection else { return nil }
        let waits = connection.flight.wait(in: connection.seat) { news in
            guard news == .progress else { return flight.table.begin(flight, plan) }
            if let (report, number) = connection.flight.latestReport { flight.note(report, number: number) }
        }
        return waits ? .flight(connection.flight, leave: connection.leave) : nil
    }

    /// The wait is over.
    @inlinable func begin(_ flight: Flight, _ plan: some FlightPlan<Value, Progress>) {
        if let priority = flight.depart() { return start(flight, priority, inPlace: false, plan) }
        slots?.release(lane: plan.lane)
        end(flight, .neverBegins)
    }

    /// Detached: the work is shared, so no caller's cancellation or task-local values may govern it.
    ///
    /// The flight owns the handle; the last caller out and ``cancelAll()`` cancel it, ``drain()`` waits for its end.
    @inlinable func start(
        _ flight: Flight, _ priority: UInt8, inPlace: Bool, _ plan: some FlightPlan<Value, Progress>
    ) {
        let task =
            if inPlace {
                Task.immediateDetached(
                    name: name, priority: TaskPriority(rawValue: priority), executorPreference: executor
                ) {
                    await flight.table.run(flight, plan)
                }
            } else {
                Task.detached(
                    name: name, executorPreference: executor, priority: TaskPriority(rawValue: priority)
                ) {
                    await flight.table.run(flight, plan)
                }
            }
        flight.begin(task, priority: priority)
    }

    @concurrent @inlinable func run(_ flight: Flight, _ plan: some FlightPlan<Value, Progress>) async {
        let landing: Result<Value, any Error>
        flight.beginOperation()
        do {
            landing = .success(try await plan.fly { flight.report($0) })
        } catch {
            landing = .failure(error)
        }
        guard flight.returnOperation() else { return forgetDetached() }
        slots?.release(lane: plan.lane)
        land(flight, landing)
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

    /// Ends the flight of an operation that goes on. Its slot is free, and it is counted apart until it returns.
    @usableFromInline func detach(_ flight: Flight, lane: String, _ landing: Flight.Landing) -> Bool {
        // Both in one step: the operation returns before it, or is counted when it does.
        let isDetached = state.withLock { state in
            let isDetached = flight.detachOperation()
            if isDetached { state.detachedCount += 1 }
            return isDetached
        }
        guard isDetached else { return false }
        slots?.release(lane: lane)
        let waiting = takeOut(flight)
        flight.landAndCancel(landing)
        for drainer in waiting { drainer.resolve(()) }
        return true
    }

    /// A detached operation has returned.
    @usableFromInline func forgetDetached() { state.withLock { $0.detachedCount -= 1 } }

    @inlinable @inline(never) func land(_ flight: Flight, _ landing: Result<Value, any Error>) {
        let drainers = takeOut(flight)
        flight.land(landing)
        for drainer in drainers { drainer.resolve(()) }
    }

    /// Takes out a flight whose operation has returned, or will never begin.
    ///
    /// - Returns: Who waits for the last one.
    @inlinable func takeOut(_ flight: Flight) -> [OneShot<Void>] {
        state.withLock { state -> [OneShot<Void>] in
            state.remove(flight)
            state.operationCount -= 1
            guard state.operationCount == 0 else { return [] }
            defer { state.drainers = [] }
            return state.drainers
        }
    }

    /// Ends the wait of a caller, and the flight with its last one.
    ///
    /// A flight that held the seat is not called: it leaves because it has ended itself. A task is resumed last, since it
    /// waits for the end of the handler that calls this.
    ///
    /// - Returns: Whether the caller was waiting.
    @discardableResult
    @inlinable @inline(never) func leave(_ flight: Flight, _ seat: Int) -> Bool {
        let (waiter, abandonment) = flight.leave(seat)
        end(flight, abandonment)
        if case .task? = waiter { waiter?.tell(.cancelled) }
        return waiter != nil
    }

    /// Clears away a flight that its last caller has left.
    @inlinable func end(_ flight: Flight, _ abandonment: AnyFlight.Abandonment?) {
        switch abandonment {
        case .unwinds: state.withLock { $0.remove(flight) }
        case .neverBegins: for drainer in takeOut(flight) { drainer.resolve(()) }
        case nil: break
        }
    }
}
