import Synchronization

/// Lets at most a fixed number of bodies run at once; the others queue by priority and arrival.
///
/// A mutex and not an actor: a cancelled or escalated waiter acts in its handler, which is synchronous; a slot is given
/// back in `defer`; and a free slot costs no hop. The lock is never held while a waiter is told.
///
/// Who waits is a closure, so it may be a suspended task, as in ``withSlot(priority:_:)``, or work that is no task yet,
/// like a flight of ``InFlight``.
///
/// The queue decides every race: whoever takes a waiter out of it, a slot that came free, the waiter's leaving or
/// ``close()``, is the only one to answer it. A slot is therefore never offered to a waiter that has gone.
public final class Slots: Sendable {
    /// Called once, unless the waiter leaves: without an error it has a slot.
    @usableFromInline typealias Answer = @Sendable (_ refusal: CoordinationError?) -> Void

    /// In a struct, because a bare closure is wrapped in another one when a generic type stores it.
    fileprivate struct Waiter { let answer: Answer }

    private struct State {
        var queue: SlotQueue<Waiter>
        var running = 0
        var isClosed = false
        var drainers: [OneShot<Void>] = []
    }

    /// How many bodies run at once, at most.
    public let limit: Int

    /// How many waiters are queued, at most.
    public let queueLimit: Int

    private let name: String
    private let state: Mutex<State>

    /// Creates slots that are all free.
    ///
    /// - Parameters:
    ///   - limit: How many bodies run at once, at most. At least 1.
    ///   - order: Who goes first among waiters of the same priority.
    ///   - queueLimit: How many waiters are queued, at most. Not negative; 0 refuses whoever finds no free slot.
    ///   - name: What the messages of errors call these slots.
    public init(limit: Int, order: SlotOrder = .fifo, queueLimit: Int = .max, name: String = "slots") {
        precondition(limit >= 1, "without a slot nothing would ever run")
        precondition(queueLimit >= 0, "a queue cannot be shorter than empty")
        self.limit = limit
        self.queueLimit = queueLimit
        self.name = name
        state = Mutex(State(queue: SlotQueue(order: order)))
    }

    /// How many waiters are queued.
    public var queued: Int { state.withLock { $0.queue.count } }

    /// How many bodies hold a slot.
    public var running: Int { state.withLock { $0.running } }

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
    /// - Complexity: O(1), amortised; to be raised, a shift of those of the new priority who came later.
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
            return state.queue.removeAll()
        }
        for waiter in refused { waiter.answer(shutDownError) }
    }

    /// Waits until no body holds a slot.
    ///
    /// **Cancellation**: ignored; the wait lasts as long as the bodies do.
    public func drain() async {
        let drained = OneShot<Void>()
        let isIdle = state.withLock { state in
            if state.running > 0 { state.drainers.append(drained) }
            return state.running == 0
        }
        if !isIdle { await drained.wait() }
    }
}

// MARK: - Taking and giving back

extension Slots {
    /// A waiter's place in the queue.
    @usableFromInline struct Place: Sendable {
        fileprivate let slots: Slots
        fileprivate let id: SlotQueue<Waiter>.ID

        /// Moves the waiter forward; does nothing when it waits no longer.
        @usableFromInline func rise(to priority: UInt8) { slots.state.withLock { $0.queue.raise(id, to: priority) } }

        /// Takes the waiter out of the queue.
        ///
        /// - Returns: `false` when it has been answered already.
        @usableFromInline func leave() -> Bool { slots.state.withLock { $0.queue.remove(id) } != nil }
    }

    /// Takes a slot or queues for one.
    ///
    /// - Parameters:
    ///   - priority: Decides the place in the queue; the raw value of a `TaskPriority`.
    ///   - answer: Called when its turn has come, by whoever gives the slot back. Not called when a slot is free.
    /// - Returns: The place in the queue; `nil` when a slot was free and has been taken.
    /// - Throws: ``CoordinationError``.
    @usableFromInline func enter(_ priority: UInt8, _ answer: @escaping Answer) throws -> Place? {
        try state.withLock { state in
            if try takeFreeSlot(&state) { return nil }
            return Place(slots: self, id: state.queue.insert(Waiter(answer: answer), priority: priority))
        }
    }

    /// Takes a slot, which the caller gives back by ``release()``.
    func acquire(priority: TaskPriority?) async throws {
        try Task.checkCancellation()
        if try state.withLock({ try takeFreeSlot(&$0) }) { return }
        // The base priority: what is on top of it is an escalation, and counts also when it came before this call.
        let own = (Task.basePriority ?? Task.currentPriority).rawValue
        let turn = OneShot<Result<Void, any Error>>()
        let place = Place(slots: self, id: state.withLock { $0.queue.reserve() })
        let answer: Result<Void, any Error> = try await withTaskCancellationHandler {
            try await withTaskPriorityEscalationHandler {
                if try !queue(turn, at: place, asking: priority?.rawValue, own: own) { return Result.success(()) }
                return await turn.wait()
            } onPriorityEscalated: { _, new in
                place.rise(to: new.rawValue)
            }
        } onCancel: {
            if place.leave() { turn.resolve(.failure(CancellationError())) }
        }
        try answer.get()
        guard Task.isCancelled else { return }
        // Cancelled after the grant and before the body: the slot goes to the next one.
        release()
        throw CancellationError()
    }

    /// Queues under one lock with what it reads, and with both handlers in place: a cancellation or an escalation that
    /// came before shows on the task, one that comes later finds the entry.
    ///
    /// Nothing falls in between.
    ///
    /// - Returns: `false` when a slot was free after all and has been taken.
    private func queue(
        _ turn: OneShot<Result<Void, any Error>>, at place: Place, asking priority: UInt8?, own: UInt8
    ) throws -> Bool {
        try state.withLock { state in
            var isQueued = false
            defer { if !isQueued { state.queue.giveUp(place.id) } }
            if Task.isCancelled { throw CancellationError() }
            if try takeFreeSlot(&state) { return false }
            let now = Task.currentPriority.rawValue
            let risen = now > own ? max(priority ?? now, now) : priority ?? now
            let waiter = Waiter { refusal in
                if let refusal { turn.resolve(.failure(refusal)) } else { turn.resolve(.success(())) }
            }
            state.queue.insert(waiter, as: place.id, priority: risen)
            isQueued = true
            return true
        }
    }

    /// A free slot means that nobody is queued, so nobody is overtaken.
    ///
    /// - Returns: `false` when there is none, and room in the queue.
    private func takeFreeSlot(_ state: inout State) throws -> Bool {
        if state.isClosed { throw shutDownError }
        if state.running < limit {
            state.running += 1
            return true
        }
        if state.queue.count >= queueLimit { throw overloadedError }
        return false
    }

    private var shutDownError: CoordinationError {
        CoordinationError(code: .shutDown, message: "\(name): shut down; start no more work")
    }

    private var overloadedError: CoordinationError {
        CoordinationError(code: .overloaded, message: "\(name): \(queueLimit) are queued already; try again later")
    }

    /// Gives a slot back: to the first in the queue or, when nobody waits, to whoever comes next.
    @usableFromInline func release() {
        let (next, drainers) = state.withLock { state -> (Waiter?, [OneShot<Void>]) in
            if let next = state.queue.popFirst() { return (next, []) }
            state.running -= 1
            guard state.running == 0 else { return (nil, []) }
            defer { state.drainers = [] }
            return (nil, state.drainers)
        }
        next?.answer(nil)
        for drainer in drainers { drainer.resolve(()) }
    }
}
