// SPDX-License-Identifier: MIT
import Locks

/// Lets at most a fixed number of bodies run, each in a *slot*; the others queue by priority and arrival.
///
/// Bodies may be told apart by *lanes*, such as the host
/// that they ask: lanes of equal priority take turns, and one that holds its share lets such others go first.
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
    /// What a body holds, and gives back by ``release(_:)``.
    @usableFromInline package struct Permit: Sendable {
        fileprivate let lane: Int
    }

    /// Called once, unless the waiter leaves.
    @usableFromInline package typealias Answer = @Sendable (Result<Permit, CoordinationError>) -> Void

    /// In a struct, because a bare closure is wrapped in another one when a generic type stores it.
    struct Waiter { let answer: Answer }

    struct State {
        var table: SlotTable<Waiter>
        var isClosed = false
        /// Bodies that run, with their slots or without.
        var bodies = WorkCount()
    }

    /// How many slots are held at once, at most.
    public var limit: Int { state.withLock { $0.table.settings.limit } }

    /// How many waiters are queued, at most.
    public let maximumQueueLength: Int
    let name: String
    private let onQueue: @Sendable () -> Void
    let state: Mutex<State>

    /// Creates slots that are all free.
    ///
    /// - Parameters:
    ///   - limit: How many slots are held at once, at most. At least 1; a smaller number counts as 1.
    ///   - order: What goes first among waiters of the same priority and lane.
    ///   - maximumQueueLength: How many waiters are queued, at most. 0, or less, refuses all that find no free slot.
    ///   - share: The slots of one lane beyond which the other lanes go first. At least 1. No share by default.
    ///   - laneLimit: The slots that one lane holds at once, at most. At least 1. No limit by default.
    ///   - name: What the messages of errors call these slots.
    public convenience init(
        limit: Int, order: SlotOrder = .fifo, maximumQueueLength: Int = .max, share: Int = .max, laneLimit: Int = .max,
        name: String = "slots"
    ) {
        self.init(
            SlotSettings(limit: limit, share: share, lane: laneLimit, order: order),
            maximumQueueLength: maximumQueueLength, name: name, onQueue: {})
    }

    /// - Parameters:
    ///   - holdsBack: Whether waiters of a priority are held back while so many bodies run, though slots are free: a
    ///     raw value of `TaskPriority`, and less urgent ones with it. Asked under the lock. ``reconsider()`` must
    ///     follow when the answer may have changed. Waiters do not lose their patience meanwhile.
    ///   - onQueue: Called after a waiter has been queued.
    package init(
        _ settings: SlotSettings, maximumQueueLength: Int, name: String,
        holdsBack: (@Sendable (_ priority: UInt8, _ running: Int) -> Bool)? = nil,
        onQueue: @escaping @Sendable () -> Void
    ) {
        self.onQueue = onQueue
        self.maximumQueueLength = max(0, maximumQueueLength)
        self.name = name
        state = Mutex(State(table: SlotTable(settings, holdsBack: holdsBack)))
    }

    /// How many waiters are queued.
    public var queued: Int { state.withLock { $0.table.count } }

    /// How many slots are held.
    public var running: Int { state.withLock { $0.table.held } }

    /// Whether no waiter gets a slot; see ``change(_:)``.
    package var isSuspended: Bool { state.withLock { $0.table.settings.isSuspended } }

    /// How many bodies run on without the slot that they had; see `nextRound(stalled:patience:)`.
    package var lent: Int { state.withLock { $0.table.lent } }

    /// How many entries there are, of any kind; 0 when nothing goes on. For tests.
    package var entryCount: Int { state.withLock { $0.table.entryCount + $0.bodies.waiterCount } }

    /// Runs `body` in a slot.
    ///
    /// **Cancellation**: a queued caller returns at once, and the body of one cancelled together with its grant does
    /// not start. A body that runs is not interrupted; it may check for itself.
    ///
    /// **Isolation**: `body` runs on the caller's actor.
    ///
    /// **Priority**: the place in the queue moves forward when the calling task is escalated, and never back. An
    /// explicit `priority` counts instead of the task's own, unless the task is escalated, before the call or while it
    /// waits.
    ///
    /// - Throws: What `body` throws; `CancellationError`; ``CoordinationError`` with code `.overloaded` when the queue
    ///   is at its limit, `.shutDown` after ``close()``.
    /// - Complexity: O(1), amortised; to be raised, a shift of those of the new priority that came later.
    public func withSlot<T>(priority: TaskPriority? = nil, _ body: () async throws -> T) async throws -> T {
        let permit = try await acquire(priority: priority)
        defer { release(permit) }
        return try await body()
    }

    /// Changes the settings, also for waiters that are queued. Bodies that hold more than a lower limit go on; the next
    /// wait for them.
    package func change(_ settings: SlotSettings) {
        let served = state.withLock { state in
            state.table.change(settings)
            return Slots.serve(&state)
        }
        Slots.tell(served)
    }

    /// Refuses every later caller and every queued one.
    ///
    /// Bodies that run go on.
    public func close() {
        let refused = state.withLock { state in
            state.isClosed = true
            return state.table.removeAll()
        }
        for waiter in refused { waiter.answer(.failure(shutDownError)) }
    }

    /// Waits until no body runs.
    ///
    /// **Cancellation**: ignored; the wait lasts as long as the bodies do.
    public func drain() async {
        await state.withLock { $0.bodies.untilIdle() }?.wait()
    }
}

// MARK: - Taking and giving back

extension Slots {
    /// A waiter's place in the queue.
    @usableFromInline package struct Place: Sendable {
        fileprivate let slots: Slots
        fileprivate let place: SlotTable<Waiter>.Place

        /// Moves the waiter forward; does nothing when it waits no longer.
        @usableFromInline func raise(to priority: UInt8) { change { $0.raise(place, to: priority) } }

        /// Moves the waiter forward or back; does nothing when it waits no longer.
        @usableFromInline func move(to priority: UInt8) { change { $0.move(place, to: priority) } }

        private func change(_ body: (inout SlotTable<Waiter>) -> Void) {
            let served = slots.state.withLock { state in
                body(&state.table)
                return Slots.serve(&state)
            }
            Slots.tell(served)
        }

        /// Takes the waiter out of the queue.
        ///
        /// - Returns: `false` when it has been answered already.
        @usableFromInline package func leave() -> Bool {
            slots.state.withLock { $0.table.remove(place) } != nil
        }
    }

    /// What a body has when it has entered.
    @usableFromInline package enum Admission {
        case permit(Permit)
        case place(Place)
    }

    /// Takes a slot or queues for one.
    ///
    /// - Parameters:
    ///   - priority: Decides the place in the queue; the raw value of a `TaskPriority`.
    ///   - lane: What this waiter has in common with others.
    ///   - answer: Called when its turn has come, by the code that gives the slot back. Not called when a slot is
    ///     free.
    /// - Throws: ``CoordinationError``.
    @usableFromInline package func enter(
        _ priority: UInt8, lane: String = "", _ answer: @escaping Answer
    ) throws -> Admission {
        var hasFree = false
        let admission: Admission = try state.withLock { state in
            if let permit = try takeFree(in: lane, priority, &state) { return .permit(permit) }
            if state.table.count >= maximumQueueLength { throw overloadedError }
            let place = state.table.insert(Waiter(answer: answer), in: lane, priority: priority)
            hasFree = state.table.held < state.table.settings.limit
            return .place(Place(slots: self, place: place))
        }
        if case .place = admission {
            // What waits already may be held back, when this is not.
            if hasFree { reconsider() }
            onQueue()
        }
        return admission
    }

    /// Takes a slot, as ``withSlot(priority:_:)`` does.
    @usableFromInline package func acquire(priority: TaskPriority?, lane: String = "") async throws -> Permit {
        try Task.checkCancellation()
        let turn = OneShot<Result<Permit, any Error>>()
        let admission = try enter((priority ?? Task.currentPriority).rawValue, lane: lane) {
            turn.resolve($0.mapError { $0 })
        }
        let place: Place
        switch admission {
        case .permit(let permit): return permit
        case .place(let queued): place = queued
        }
        var answer: Result<Permit, any Error> = .failure(CancellationError())
        await withTaskCancellationHandler {
            await withPriorityEscalation(to: place.raise) { answer = await turn.wait() }
        } onCancel: {
            if place.leave() { turn.resolve(.failure(CancellationError())) }
        }
        let permit = try answer.get()
        guard Task.isCancelled else { return permit }
        // Cancelled after the grant and before the body: the slot goes to the next one.
        release(permit)
        throw CancellationError()
    }

    /// - Returns: `nil` when no slot is free, it is held back, or something waits for it.
    private func takeFree(
        in lane: String, _ priority: UInt8, _ state: inout State
    ) throws(CoordinationError) -> Permit? {
        if state.isClosed { throw shutDownError }
        guard let number = state.table.take(in: lane, priority: priority) else { return nil }
        state.bodies.begin()
        return Permit(lane: number)
    }

    private var shutDownError: CoordinationError {
        CoordinationError(code: .shutDown, message: "\(name): shut down; start no more work")
    }

    private var overloadedError: CoordinationError {
        CoordinationError(
            code: .overloaded, message: "\(name): \(maximumQueueLength) are queued already; try again later")
    }

    /// Gives a slot back: to the next in the queue or, when nothing waits for it, to what comes next.
    @usableFromInline package func release(_ permit: Permit) {
        let (served, drainers) = state.withLock { state in
            state.table.release(in: permit.lane)
            return (Slots.serve(&state), state.bodies.end())
        }
        Slots.tell(served)
        drainers.resume()
    }

    static func serve(_ state: inout sending State) -> [SlotTable<Waiter>.Grant] {
        var served: [SlotTable<Waiter>.Grant] = []
        while let next = state.table.next() { served.append(next) }
        state.bodies.begin(served.count)
        return served
    }

    static func tell(_ served: [SlotTable<Waiter>.Grant]) {
        for (waiter, lane) in served { waiter.answer(.success(Permit(lane: lane))) }
    }
}
