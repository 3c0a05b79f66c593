import Synchronization

/// Who waits for a flight, and how the flight stands: all of it but the key, and the types of what it brings.
///
/// Not generic, so that what ten thousand callers run through is compiled once, and no flight has its layout looked up at
/// run time. What a flight brings is kept as objects whose types ``Flight`` knows.
///
/// Every transition is one step under the lock. What follows from it, to resume, to cancel, to escalate, is done when the
/// lock has been given back: the handlers of cancellation and escalation take it too, and the runtime calls them under a
/// lock of its own.
///
/// Priorities are raw values: the layout of a `TaskPriority` is not known when this is compiled, and whatever holds one,
/// an object or the frame of a suspended caller, would be laid out at run time.
///
/// Safe to share: it is not final only for ``Flight``, and every property of either is a constant and itself `Sendable`.
@usableFromInline class AnyFlight: @unchecked Sendable {
    /// What a caller is told when it has waited.
    @usableFromInline enum News: Sendable {
        /// There is a report that the caller does not know.
        case progress
        /// The flight has come to its end.
        case landed
        /// The caller has left, or every flight was cancelled.
        case cancelled
    }

    /// Who waits in a seat.
    ///
    /// Safe to pass around: the continuation comes out in one place at a time, and only to be resumed.
    @safe @usableFromInline enum Waiter {
        case task(UnsafeContinuation<News, Never>)
        case flight(@Sendable (News) -> Void)

        @usableFromInline func tell(_ news: News) {
            switch self {
            case .task(let continuation): unsafe continuation.resume(returning: news)
            case .flight(let call): call(news)
            }
        }
    }

    /// One caller.
    private struct Seat {
        /// There while the caller waits.
        var waiter: Waiter?
        /// How many reports the caller knows; a later one ends its wait.
        var known = Int.max
    }

    /// What a flight is: something that waits, in a queue or for another flight, then a task.
    private enum Carrier: Sendable {
        case reservation(Reservation)
        case task(Task<Void, Never>)

        func rise(to priority: UInt8) {
            switch self {
            case .reservation(let reservation): reservation.rise(to: priority)
            case .task(let task): task.escalatePriority(to: TaskPriority(rawValue: priority))
            }
        }

        func end() -> Abandonment {
            switch self {
            case .reservation(let reservation): return reservation.leave() ? .neverBegins : .unwinds
            case .task(let task):
                task.cancel()
                return .unwinds
            }
        }
    }

    /// What becomes of a flight without callers.
    @usableFromInline enum Abandonment: Sendable {
        /// Its operation is running, or about to, and returns.
        case unwinds
        /// It was waiting for a slot, or for another flight, and waits no longer.
        case neverBegins
    }

    /// What a flight brings: its latest report, or its landing.
    @usableFromInline typealias Cargo = AnyObject & Sendable

    private enum Phase { case flying, landed, abandoned }

    private struct State {
        var phase = Phase.flying
        var seats = CallerList<Seat>()
        var reportCount = 0
        var report: (any Cargo)?
        var landing: (any Cargo)?
        var priority: UInt8
        /// `nil` at first, when its callers may already come and leave.
        var carrier: Carrier?

        /// What there is to tell a caller without a wait.
        func news(for seat: Int, knowing known: Int) -> News? {
            guard seats[seat] != nil else { return .cancelled }
            if reportCount > known { return .progress }
            return phase == .landed ? .landed : nil
        }
    }

    private let state: Mutex<State>
    /// How the operation stands. Beside the lock, because every flight asks once more when its operation returns.
    let operation = Atomic<OperationState>(.waits)

    @usableFromInline init(priority: UInt8) {
        state = Mutex(State(priority: priority))
    }

    /// Ends the flight while its operation goes on; see ``FlightHandle/detach(lane:throwing:)``.
    @usableFromInline func detach(lane: String, throwing error: any Error) -> Bool { false }

    /// How many callers wait.
    var count: Int { state.withLock { $0.seats.count } }
}

// MARK: - The callers

extension AnyFlight {
    /// Adds a caller.
    ///
    /// - Returns: Its seat; `nil` when the flight has landed, or its last caller has left.
    @usableFromInline func join() -> Int? {
        state.withLock { $0.phase == .flying ? $0.seats.join(Seat()) : nil }
    }

    /// What the flight has brought to its end, with its callers aboard.
    @usableFromInline var landing: (any Cargo)? { state.withLock { $0.landing } }

    /// The latest report and its number, from 1.
    @usableFromInline var latestReport: (any Cargo, number: Int)? {
        state.withLock { state in state.report.map { ($0, state.reportCount) } }
    }

    /// Keeps a caller's continuation until there is news, or resumes it with what there is to tell.
    ///
    /// - Parameters:
    ///   - continuation: The caller's.
    ///   - seat: The caller's.
    ///   - known: How many reports the caller knows; `Int.max` for one who does not want to hear of them.
    @usableFromInline func park(_ continuation: UnsafeContinuation<News, Never>, in seat: Int, knowing known: Int) {
        let news = state.withLock { state in
            let news = state.news(for: seat, knowing: known)
            if news == nil { state.seats[seat] = unsafe Seat(waiter: .task(continuation), known: known) }
            return news
        }
        // Resumed exactly once: here, or by whoever takes it out of the seat.
        if let news { unsafe continuation.resume(returning: news) }
    }

    /// Waits for the landing.
    ///
    /// - Returns: `false` when the caller has left, or every flight was cancelled.
    @usableFromInline func hasLanded(seat: Int) async -> Bool {
        await unsafe withUnsafeContinuation { unsafe park($0, in: seat, knowing: .max) } == .landed
    }

    /// Calls whoever holds the seat for another flight: for every report, and once when this flight is over.
    ///
    /// - Returns: `false` when it is over already; then there is no other call than one for the last report.
    @usableFromInline func wait(in seat: Int, _ call: @escaping @Sendable (News) -> Void) -> Bool {
        let (waits, hasReports) = state.withLock { state in
            let waits = state.news(for: seat, knowing: .max) == nil
            if waits { state.seats[seat] = Seat(waiter: .flight(call)) }
            return (waits, state.reportCount > 0)
        }
        if hasReports { call(.progress) }
        return waits
    }

    /// Removes a caller, and cancels the flight with the last one: emptying and abandoning are one step, so nobody can join
    /// in between.
    ///
    /// - Returns: Who was waiting, to be told when all is done; and what becomes of the flight when it was the last one.
    @usableFromInline func leave(_ seat: Int) -> (Waiter?, Abandonment?) {
        let (left, carrier, wasLast) = state.withLock { state -> (Seat?, Carrier?, Bool) in
            guard let left = state.seats.leave(seat) else { return (nil, nil, false) }
            guard state.phase == .flying, state.seats.isEmpty else { return (left, nil, false) }
            state.phase = .abandoned
            return (left, state.carrier.take(), true)
        }
        return (left?.waiter, wasLast ? carrier?.end() ?? .unwinds : nil)
    }
}

// MARK: - The flight

extension AnyFlight {
    /// The flight waits before it begins.
    ///
    /// It may have risen, or lost its callers, before that, and the wait may be over by now.
    ///
    /// - Returns: Whether it has been abandoned, and never begins.
    @usableFromInline func wait(for reservation: Reservation, priority: UInt8) -> Bool {
        let (risen, isAbandoned) = state.withLock { state in
            if state.carrier == nil { state.carrier = .reservation(reservation) }
            return (state.priority, state.phase == .abandoned)
        }
        if risen > priority { reservation.rise(to: risen) }
        return isAbandoned && reservation.leave()
    }

    /// The flight need not wait any longer.
    ///
    /// - Returns: The priority to begin with; `nil` when it has been abandoned.
    @usableFromInline func depart() -> UInt8? {
        state.withLock { $0.phase == .abandoned ? nil : $0.priority }
    }

    /// The flight has its task.
    ///
    /// It may have risen, or lost its callers, before it had one.
    @usableFromInline func begin(_ task: Task<Void, Never>, priority: UInt8) {
        let (risen, isAbandoned) = state.withLock { state in
            state.carrier = .task(task)
            return (state.priority, state.phase == .abandoned)
        }
        if risen > priority { task.escalatePriority(to: TaskPriority(rawValue: risen)) }
        // A flight that begins in place may be detached before its task is known here.
        if isAbandoned || operation.load(ordering: .acquiring) == .detached { task.cancel() }
    }

    /// Raises the flight; a priority never falls.
    @usableFromInline func rise(to priority: UInt8) {
        let carrier = state.withLock { state -> Carrier? in
            guard priority > state.priority else { return nil }
            state.priority = priority
            return state.carrier
        }
        carrier?.rise(to: priority)
    }

    /// Catches up with an escalation of the calling task from before it had a handler: that is not replayed, but it shows.
    ///
    /// - Parameter own: The base priority of the calling task.
    @usableFromInline @inline(never) func catchUp(from own: UInt8) {
        let now = Task.currentPriority.rawValue
        if now > own { rise(to: now) }
    }

    /// Notes how far the work has come, and tells the callers who want to know; not after the end.
    ///
    /// - Parameter number: That of another flight's report, which is dropped when a later one has come before; `nil` for the
    ///   flight's own.
    @usableFromInline func note(_ report: any Cargo, number: Int?) {
        let waiting = state.withLock { state in
            var waiting: [Waiter] = []
            let number = number ?? state.reportCount + 1
            guard state.phase == .flying, number > state.reportCount else { return waiting }
            (state.report, state.reportCount) = (report, number)
            state.seats.update { seat in
                switch seat.waiter {
                case .task? where seat.known < number: waiting.append(seat.waiter.take()!)
                case .flight(let call)?: waiting.append(.flight(call))
                default: break
                }
            }
            return waiting
        }
        for waiter in waiting { waiter.tell(.progress) }
    }

    /// The flight is over.
    @usableFromInline func land(_ landing: any Cargo) { end(with: landing) }

    /// The flight is over, and its operation is told.
    @usableFromInline func landAndCancel(_ landing: any Cargo) { _ = end(with: landing).1?.end() }

    /// Cancels the flight and ends every caller.
    ///
    /// - Returns: What becomes of the flight, when this was its end.
    func abandon() -> Abandonment? {
        let (isEnd, carrier) = end(with: nil)
        return isEnd ? carrier?.end() ?? .unwinds : nil
    }

    /// The first end counts; a flight without callers has had its own.
    ///
    /// Who has landed keeps the seat: it may be listening to a report, and asks for news when it has.
    ///
    /// - Parameter landing: `nil` when the flight is abandoned.
    /// - Returns: Whether this was the end, and what carried the flight.
    @discardableResult
    private func end(with landing: (any Cargo)?) -> (isEnd: Bool, Carrier?) {
        let (waiting, carrier) = state.withLock { state in
            var waiting: [Waiter] = []
            guard state.phase == .flying else { return (waiting, (isEnd: false, Carrier?.none)) }
            state.phase = landing == nil ? .abandoned : .landed
            state.landing = landing
            waiting.reserveCapacity(state.seats.count)
            state.seats.update { if let waiter = $0.waiter.take() { waiting.append(waiter) } }
            if landing == nil { _ = state.seats.removeAll() }
            return (waiting, (isEnd: true, state.carrier.take()))
        }
        for waiter in waiting { waiter.tell(landing == nil ? .cancelled : .landed) }
        return carrier
    }
}
