import Synchronization

/// Lets at most a fixed number of bodies run at once; the others queue by priority and arrival.
///
/// A mutex and not an actor: a cancelled or escalated waiter acts in its handler, which is synchronous; a slot is given
/// back in `defer`; and a free slot costs no hop. The lock is never held while a task is resumed.
///
/// The queue decides every race: whoever takes a waiter out of it, a slot that came free, the waiter's cancellation or
/// ``close()``, is the only one to answer it. A slot is therefore never offered to a waiter that has gone.
public final class Slots: Sendable {
    /// How the wait of one waiter ends.
    private enum Turn { case granted, cancelled, shutDown }

    private struct State {
        var queue: SlotQueue<OneShot<Turn>>
        var running = 0
        var lastID: UInt64 = 0
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
    /// - Complexity: O(1) when a slot is free, otherwise O(log ``queued``).
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
        for turn in refused { turn.resolve(.shutDown) }
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
    /// Takes a slot, which the caller gives back by ``release()``.
    func acquire(priority: TaskPriority?) async throws {
        try Task.checkCancellation()
        if try takeFreeSlot() { return }
        // The base priority: what is on top of it is an escalation, and counts also when it came before this call.
        switch try await turn(asking: priority, own: Task.basePriority ?? Task.currentPriority) {
        case .granted where !Task.isCancelled: return
        case .granted:
            // Cancelled after the grant and before the body: the slot goes to the next one.
            release()
            throw CancellationError()
        case .cancelled: throw CancellationError()
        case .shutDown: throw shutDownError
        }
    }

    /// The way without a wait.
    ///
    /// A free slot means that nobody is queued, so nobody is overtaken.
    private func takeFreeSlot() throws -> Bool {
        try state.withLock { state in
            if state.isClosed { throw shutDownError }
            guard state.running < limit else { return false }
            state.running += 1
            return true
        }
    }

    private func turn(asking priority: TaskPriority?, own: TaskPriority) async throws -> Turn {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let turn = OneShot<Turn>()
        return try await withTaskCancellationHandler {
            try await withTaskPriorityEscalationHandler {
                if try enqueue(turn, id, asking: priority, own: own) { return .granted }
                return await turn.wait()
            } onPriorityEscalated: { _, new in
                state.withLock { $0.queue.raise(id, to: new.rawValue) }
            }
        } onCancel: {
            state.withLock { $0.queue.remove(id) }?.resolve(.cancelled)
        }
    }

    /// Queues under one lock with what it reads, and with both handlers in place: a cancellation or an escalation
    /// that came before shows on the task, one that comes later finds the entry.
    ///
    /// Nothing falls in between.
    ///
    /// - Returns: `true` when a slot was free after all and has been taken.
    private func enqueue(
        _ turn: OneShot<Turn>, _ id: UInt64, asking priority: TaskPriority?, own: TaskPriority
    ) throws -> Bool {
        try state.withLock { state in
            if state.isClosed { throw shutDownError }
            if Task.isCancelled { throw CancellationError() }
            if state.running < limit {
                state.running += 1
                return true
            }
            if state.queue.count >= queueLimit { throw overloadedError }
            let now = Task.currentPriority
            let risen = now > own ? max(priority ?? now, now) : priority ?? now
            state.queue.insert(turn, id: id, priority: risen.rawValue)
            return false
        }
    }

    private var shutDownError: CoordinationError {
        CoordinationError(code: .shutDown, message: "\(name): shut down; start no more work")
    }

    private var overloadedError: CoordinationError {
        CoordinationError(code: .overloaded, message: "\(name): \(queueLimit) are queued already; try again later")
    }

    /// Gives a slot back: to the first in the queue or, when nobody waits, to whoever comes next.
    func release() {
        let (next, drainers) = state.withLock { state -> (OneShot<Turn>?, [OneShot<Void>]) in
            if let next = state.queue.popFirst() { return (next.waiter, []) }
            state.running -= 1
            guard state.running == 0 else { return (nil, []) }
            defer { state.drainers = [] }
            return (nil, state.drainers)
        }
        next?.resolve(.granted)
        for drainer in drainers { drainer.resolve(()) }
    }
}
