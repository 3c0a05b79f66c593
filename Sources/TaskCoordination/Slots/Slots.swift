import Synchronization

/// Lets bodies run that take at most a fixed number of units together; the others queue by priority and arrival.
///
/// A body takes one unit, a *slot*, unless it says otherwise. Bodies may be told apart by *lanes*, such as the host that
/// they ask: lanes of equal priority take turns, and one that holds its share lets the others go first.
///
/// A mutex and not an actor: a cancelled or escalated waiter acts in its handler, which is synchronous; a slot is given
/// back in `defer`; and a free slot costs no hop. The lock is never held while a waiter is told.
///
/// A waiter is a closure, so it may be a suspended task, as in ``withSlot(priority:_:)``, or work that is no task yet,
/// like a flight of ``InFlight``.
///
/// The queue decides every race: what takes a waiter out of it, a slot that came free, the waiter's leaving or
/// ``close()``, is the only one to answer it. A slot is therefore never offered to a waiter that has gone.
public final class Slots: Sendable {
    /// Called once, unless the waiter leaves: without an error it has its units.
    @usableFromInline typealias Answer = @Sendable (_ refusal: CoordinationError?) -> Void

    /// In a struct, because a bare closure is wrapped in another one when a generic type stores it.
    fileprivate struct Waiter { let answer: Answer }

    private struct State {
        var table: SlotTable<Waiter>
        var isClosed = false
        var drainers: [OneShot<Void>] = []
    }

    /// How many units are held at once, at most.
    public let limit: Int

    /// How many waiters are queued, at most.
    public let queueLimit: Int

    private let name: String
    private let state: Mutex<State>

    /// Creates slots that are all free.
    ///
    /// - Parameters:
    ///   - limit: How many units are held at once, at most. At least 1; a smaller number counts as 1.
    ///   - order: What goes first among waiters of the same priority and lane.
    ///   - queueLimit: How many waiters are queued, at most. 0, or less, refuses all that find no free slot.
    ///   - share: The units of one lane beyond which the other lanes go first. At least 1. No share by default.
    ///   - laneLimit: The units that one lane holds at once, at most. At least 1. No limit by default.
    ///   - name: What the messages of errors call these slots.
    public init(
        limit: Int, order: SlotOrder = .fifo, queueLimit: Int = .max, share: Int = .max, laneLimit: Int = .max,
        name: String = "slots"
    ) {
        self.limit = max(1, limit)
        self.queueLimit = max(0, queueLimit)
        self.name = name
        let limits = SlotTable<Waiter>.Limits(units: self.limit, share: max(1, share), lane: max(1, laneLimit))
        state = Mutex(State(table: SlotTable(limits: limits, order: order)))
    }

    /// How many waiters are queued.
    public var queued: Int { state.withLock { $0.table.count } }

    /// How many units are held.
    public var running: Int { state.withLock { $0.table.held } }

    /// How many bodies run on without the slot that they had; see ``nextRound(stalled:patience:)``.
    public var lent: Int { state.withLock { $0.table.lent } }

    /// How many entries there are, of any kind; 0 when nothing goes on. Told to tests.
    package var entryCount: Int { state.withLock { $0.table.entryCount + $0.drainers.count } }

    /// Runs `body` in a slot.
    ///
    /// **Cancellation**: a queued caller returns at once, and the body of one cancelled together with its grant does not
    /// start. A body that runs is not interrupted; it may check for itself.
    ///
    /// **Isolation**: `body` runs on the caller's actor.
    ///
    /// **Priority**: the place in the queue moves forward when the calling task is escalated, and never back. An explicit
    /// `priority` counts instead of the task's own, unless the task is escalated, before the call or while it waits.
    ///
    /// - Throws: What `body` throws; `CancellationError`; ``CoordinationError`` with code `.overloaded` when the queue
    ///   is at its limit, `.shutDown` after ``close()``.
    /// - Complexity: O(1), amortised; to be raised, a shift of those of the new priority that came later.
    public func withSlot<T>(priority: TaskPriority? = nil, _ body: () async throws -> T) async throws -> T {
        try await acquire(priority: priority)
        defer { release() }
        return try await body()
    }

    /// Refuses every later caller and every queued one.
    ///
    /// Bodies that run go on.
    public func close() {
        let refused = state.withLock { state in
            state.isClosed = true
            return state.table.removeAll()
        }
        for waiter in refused { waiter.answer(shutDownError) }
    }

    /// Waits until no body runs.
    ///
    /// **Cancellation**: ignored; the wait lasts as long as the bodies do.
    public func drain() async {
        let drained = OneShot<Void>()
        let isIdle = state.withLock { state in
            let isIdle = state.table.held + state.table.lent == 0
            if !isIdle { state.drainers.append(drained) }
            return isIdle
        }
        if !isIdle { await drained.wait() }
    }
}

// MARK: - Taking and giving back

extension Slots {
    /// A waiter's place in the queue.
    @usableFromInline struct Place: Sendable {
        fileprivate let slots: Slots
        fileprivate let place: SlotTable<Waiter>.Place

        /// Moves the waiter forward; does nothing when it waits no longer.
        @usableFromInline func rise(to priority: UInt8) {
            slots.state.withLock { $0.table.raise(place, to: priority) }
        }

        /// Takes the waiter out of the queue.
        ///
        /// - Returns: `false` when it has been answered already.
        @usableFromInline func leave() -> Bool {
            let (isQueued, next) = slots.state.withLock { state in
                // What waited behind a large one may fit.
                (state.table.remove(place) != nil, Slots.serve(&state))
            }
            for waiter in next { waiter.answer(nil) }
            return isQueued
        }
    }

    /// Takes a slot or queues for one.
    ///
    /// - Parameters:
    ///   - priority: Decides the place in the queue; the raw value of a `TaskPriority`.
    ///   - lane: What this waiter has in common with others.
    ///   - answer: Called when its turn has come, by what gives the slot back. Not called when a slot is free.
    /// - Returns: The place in the queue; `nil` when a slot was free and has been taken.
    /// - Throws: ``CoordinationError``.
    @usableFromInline func enter(_ priority: UInt8, lane: String = "", _ answer: @escaping Answer) throws -> Place? {
        try state.withLock { state in
            if try takeFree(1, in: lane, &state) { return nil }
            let place = state.table.reserve(in: lane)
            state.table.insert(Waiter(answer: answer), at: place, units: 1, priority: priority)
            return Place(slots: self, place: place)
        }
    }

    /// Takes units, if they are free and nothing waits for them. The caller gives them back by ``release(_:lane:)``.
    package func take(_ units: Int) -> Bool {
        state.withLock { !$0.isClosed && $0.table.take(min(units, limit), in: "") }
    }

    /// Takes units, which the caller gives back by ``release(_:lane:)``.
    ///
    /// - Parameter units: At least 0; more than there are count as all of them.
    package func acquire(priority: TaskPriority?, units: Int = 1) async throws {
        try Task.checkCancellation()
        let units = min(units, limit)
        if try state.withLock({ try takeFree(units, in: "", &$0) }) { return }
        // The base priority: what is on top of it is an escalation, and counts also when it came before this call.
        let own = (Task.basePriority ?? Task.currentPriority).rawValue
        let turn = OneShot<Result<Void, any Error>>()
        let place = Place(slots: self, place: state.withLock { $0.table.reserve(in: "") })
        let answer: Result<Void, any Error> = try await withTaskCancellationHandler {
            try await withTaskPriorityEscalationHandler {
                if try !queue(turn, units, at: place, asking: priority?.rawValue, own: own) {
                    return Result.success(())
                }
                return await turn.wait()
            } onPriorityEscalated: { _, new in
                place.rise(to: new.rawValue)
            }
        } onCancel: {
            if place.leave() { turn.resolve(.failure(CancellationError())) }
        }
        try answer.get()
        guard Task.isCancelled else { return }
        // Cancelled after the grant and before the body: the units go to the next one.
        release(units)
        throw CancellationError()
    }

    /// Queues under one lock with what it reads, and with both handlers in place: a cancellation or an escalation that
    /// came before shows on the task, one that comes later finds the entry.
    ///
    /// Nothing falls in between.
    ///
    /// - Returns: `false` when the units were free after all and have been taken.
    private func queue(
        _ turn: OneShot<Result<Void, any Error>>, _ units: Int, at place: Place, asking priority: UInt8?, own: UInt8
    ) throws -> Bool {
        try state.withLock { state in
            var isQueued = false
            defer { if !isQueued { state.table.giveUp(place.place) } }
            if Task.isCancelled { throw CancellationError() }
            if try takeFree(units, in: "", &state) { return false }
            let now = Task.currentPriority.rawValue
            let risen = now > own ? max(priority ?? now, now) : priority ?? now
            let waiter = Waiter { refusal in
                if let refusal { turn.resolve(.failure(refusal)) } else { turn.resolve(.success(())) }
            }
            state.table.insert(waiter, at: place.place, units: units, priority: risen)
            isQueued = true
            return true
        }
    }

    /// - Returns: `false` when the units are not free, and there is room in the queue.
    private func takeFree(_ units: Int, in lane: String, _ state: inout State) throws -> Bool {
        if state.isClosed { throw shutDownError }
        if state.table.take(units, in: lane) { return true }
        if state.table.count >= queueLimit { throw overloadedError }
        return false
    }

    private var shutDownError: CoordinationError {
        CoordinationError(code: .shutDown, message: "\(name): shut down; start no more work")
    }

    private var overloadedError: CoordinationError {
        CoordinationError(code: .overloaded, message: "\(name): \(queueLimit) are queued already; try again later")
    }

    /// Gives units back: to the next in the queue or, when nothing waits for them, to what comes next.
    @usableFromInline package func release(_ units: Int = 1, lane: String = "") {
        let (next, drainers) = state.withLock { state -> ([Waiter], [OneShot<Void>]) in
            state.table.release(units, in: lane)
            let next = Slots.serve(&state)
            guard state.table.held + state.table.lent == 0 else { return (next, []) }
            defer { state.drainers = [] }
            return (next, state.drainers)
        }
        for waiter in next { waiter.answer(nil) }
        for drainer in drainers { drainer.resolve(()) }
    }

    private static func serve(_ state: inout sending State) -> [Waiter] {
        var served: [Waiter] = []
        while let waiter = state.table.next() { served.append(waiter) }
        return served
    }

    /// Looks at the queue, which the owner does every now and then while something waits.
    ///
    /// A lane that has waited for a whole round gets a slot of one that holds more than its share, or whose bodies make
    /// no progress. These bodies run on without their slots, at most as many as there are slots.
    ///
    /// - Parameters:
    ///   - stalled: How many bodies of each lane have made no progress since the last round.
    ///   - patience: Rounds after which a waiter is turned away with code `.queueTimedOut`.
    package func nextRound(stalled: [String: Int], patience: Int) {
        let (served, expired) = state.withLock { $0.table.nextRound(stalled: stalled, patience: patience) }
        for waiter in served { waiter.answer(nil) }
        let refusal = CoordinationError(
            code: .queueTimedOut, message: "\(name): no slot came free in time; try again later")
        for waiter in expired { waiter.answer(refusal) }
    }
}
