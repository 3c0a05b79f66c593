extension InFlight {
    /// Joins the flight for `key`, or starts it: the first half of ``value(for:priority:onProgress:plan:)``.
    ///
    /// For whoever has thousands of callers wait: what is needed to join is gone when this returns, and takes no room in the
    /// frame of the function that waits.
    ///
    /// Not inlined, nor are the other synchronous steps, for the same reason.
    ///
    /// - Parameters:
    ///   - key: What makes two pieces of work equal.
    ///   - priority: The priority to ask for. `nil` is the calling task's own.
    ///   - isolation: The actor that the caller runs on.
    ///   - plan: Makes the plan of the flight, when there is none to join.
    /// - Returns: A caller, whose value the calling task must wait for at once: the flight goes on for it until then.
    /// - Throws: `CancellationError` when the calling task is cancelled; ``CoordinationError`` with code `.shutDown` after
    ///   ``close()``.
    @inlinable @inline(never) public func board(
        for key: Key, priority: TaskPriority? = nil, from isolation: (any Actor)?,
        plan: (Departure) throws -> some FlightPlan<Value, Progress>
    ) throws -> Caller {
        try Task.checkCancellation()
        let own = (Task.basePriority ?? Task.currentPriority).rawValue
        let (flight, seat) = try board(key, (priority ?? Task.currentPriority).rawValue, from: isolation, plan)
        return Caller(flight: flight, seat: seat, own: own)
    }

    /// Who has joined a flight and has not begun to wait.
    public struct Caller: ~Copyable {
        @usableFromInline let flight: Flight
        @usableFromInline let seat: Int
        /// The base priority of the calling task. What is on top of it is an escalation, and counts also when it came
        /// before the flight was joined.
        @usableFromInline let own: UInt8

        @inlinable init(flight: Flight, seat: Int, own: UInt8) {
            self.flight = flight
            self.seat = seat
            self.own = own
        }

        /// Waits for the landing, while cancellation and escalation reach the flight.
        ///
        /// - Parameter onProgress: As for ``value(for:priority:onProgress:operation:)``.
        /// - Throws: What the operation threw; `CancellationError` when the calling task, or every flight, was cancelled;
        ///   what the slots refuse with.
        @inlinable public consuming func value(onProgress: ((Progress) async -> Void)? = nil) async throws -> Value {
            guard let onProgress else { return try await InFlight.wait(flight, seat, own, NoListener()) }
            return try await InFlight.wait(flight, seat, own, ProgressListener(onProgress))
        }
    }

    /// Waits for the landing, while cancellation and escalation reach the flight.
    ///
    /// Not inlined: a caller that waits keeps no more than this needs.
    @inlinable @inline(never) static func wait(
        _ flight: Flight, _ seat: Int, _ own: UInt8, _ listener: some FlightListener<Progress>
    ) async throws -> Value {
        // The work may be done already, without a suspension.
        if !listener.hearsProgress, let value = try flight.value() { return value }
        let hasLanded = await withTaskCancellationHandler {
            await withTaskPriorityEscalationHandler {
                flight.catchUp(from: own)
                return await listener.hasLanded(flight, seat)
            } onPriorityEscalated: { _, new in
                flight.rise(to: new.rawValue)
            }
        } onCancel: {
            flight.table.leave(flight, seat)
        }
        if hasLanded, let value = try flight.value() { return value }
        throw CancellationError()
    }
}
