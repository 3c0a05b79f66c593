// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// Gives threads and memory to the work on pictures, in one order: by priority, then by arrival.
///
/// Work first gets a thread. There it reads in the header what it will take, and takes that memory in the same step if
/// it is free. If not, it gives the thread back and waits at the place that it had. The first in the queue waits for
/// its memory, and nothing behind it begins meanwhile, so what is large is not starved by what is small.
///
/// Work never waits in a circle: what has its memory waits for nothing, and when no work has any, the
/// first in the queue may have its memory, whatever originals and finished pictures hold. The memory in use is
/// therefore at most the limit and what one piece of work takes.
final class JobQueue: Sendable {
    struct Waiter {
        let number: Int
        /// The memory that it needs; `nil` before it has read its header.
        let byteCount: Int?
        let answer: OneShot<Result<Turn, any Error>>
    }

    /// Work that has a thread.
    struct Running {
        /// `nil` until it has its memory.
        var byteCount: Int?
        let priority: UInt8
    }

    struct State {
        var waiting = SlotQueue<Waiter>()
        /// By their numbers.
        var running: [Int: Running] = [:]
        /// The bytes of the work that runs.
        var working = 0
        /// The bytes of pictures that are made, and that the manager still holds.
        var pictures = 0
        /// The bytes of files that pictures will be made of.
        var originals = 0
        /// Called after a change, when originals have been refused bytes or held back before it.
        var onRoom: @Sendable () -> Void = {}
        var isRoomAwaited = false
        var lastNumber = 0
        var isClosed = false
    }

    /// The most bytes that all of it may take.
    let byteLimit: Int
    let width: Int
    private let maximumQueueLength: Int
    let state = Mutex(State())

    /// - Parameters:
    ///   - width: The number of threads; at least 1.
    ///   - byteLimit: The most bytes of work, pictures and originals together; at least 0.
    ///   - maximumQueueLength: The most work that waits; more is refused.
    init(width: Int, byteLimit: Int, maximumQueueLength: Int) {
        (self.width, self.byteLimit) = (max(1, width), max(0, byteLimit))
        self.maximumQueueLength = max(0, maximumQueueLength)
    }

    /// How much work waits.
    var queued: Int { state.withLock { $0.waiting.count } }
    /// How much work has a thread.
    var running: Int { state.withLock { $0.running.count } }
    /// The bytes of work and of pictures.
    var byteCount: Int { state.withLock { $0.working + $0.pictures } }
    /// The number of entries of any kind; 0 when nothing goes on. For tests.
    var entryCount: Int { state.withLock { $0.waiting.count + $0.running.count } }

    /// Waits for a thread.
    ///
    /// **Cancellation**: returns at once. **Priority**: that of the calling task, unless another one is given; the
    /// place moves forward when the task is escalated.
    ///
    /// - Throws: `CancellationError`; `CoordinationError` with `.overloaded` or `.shutDown`.
    func turn(priority: TaskPriority? = nil) async throws -> Turn {
        try await wait(number: nil, nil, priority)
    }

    /// Refuses all later work, and all that waits.
    func close() {
        let refused = state.withLock { state in
            state.isClosed = true
            return state.waiting.removeAll()
        }
        for waiter in refused { waiter.answer.resolve(.failure(Self.shutDown)) }
    }

    private static var shutDown: CoordinationError {
        CoordinationError(code: .shutDown, message: "pictures: shut down; start no more work")
    }
}

// MARK: - Turns

extension JobQueue {
    /// A thread of the pool, and a part of the memory, until ``end()``.
    struct Turn: Sendable {
        fileprivate let queue: JobQueue
        fileprivate let number: Int

        /// Takes the memory that the work needs at its peak, in place of what it has, if it is this work's turn.
        func take(_ byteCount: Int) -> Bool { queue.take(byteCount, number) }

        /// Gives the thread back, and waits for the memory and a thread at the place that the work had. After an error
        /// it has neither.
        func wait(for byteCount: Int, priority: TaskPriority? = nil) async throws {
            _ = try await queue.wait(number: number, byteCount, priority)
        }

        /// Takes more memory, if it is free and no work waits for memory.
        func grow(by byteCount: Int) -> Bool { queue.grow(by: byteCount, number) }

        /// Makes a part of the memory that of a picture, which may outlive the work.
        func share(of byteCount: Int) -> PictureShare {
            queue.state.withLock { state in
                let own = state.running[number]?.byteCount ?? 0
                let part = min(byteCount, own)
                state.running[number]?.byteCount = own - part
                state.working -= part
                state.pictures += byteCount
            }
            return PictureShare(queue, byteCount)
        }

        /// Gives the thread and the memory back.
        func end() { queue.change { state in state.remove(number) } }
    }

    private func take(_ byteCount: Int, _ number: Int) -> Bool {
        var isTaken = false
        change { state in
            guard let own = state.running[number] else { return }
            state.working -= own.byteCount ?? 0
            // Work that needs none, such as a preview, waits for none.
            isTaken =
                byteCount == 0
                || !state.isOvertaking(number, own.priority) && !state.isReading(before: number, own.priority)
                    && state.fits(byteCount, byteLimit)
            // Work that will wait for it comes before those that it has overtaken.
            state.running[number]?.byteCount = isTaken ? byteCount : nil
            state.working += isTaken ? byteCount : 0
        }
        return isTaken
    }

    private func grow(by byteCount: Int, _ number: Int) -> Bool {
        state.withLock { state in
            guard let own = state.running[number], state.waiting.first?.byteCount == nil,
                byteCount <= byteLimit - state.held
            else { return false }
            state.running[number]?.byteCount = (own.byteCount ?? 0) + byteCount
            state.working += byteCount
            return true
        }
    }

    /// Waits for a thread and, unless it is `nil`, for memory.
    ///
    /// - Parameter number: The number of work that has a thread, which it gives back; `nil` for new work.
    private func wait(number: Int?, _ byteCount: Int?, _ priority: TaskPriority?) async throws -> Turn {
        if Task.isCancelled {
            if let number { change { $0.remove(number) } }
            throw CancellationError()
        }
        let answer = OneShot<Result<Turn, any Error>>()
        let number = try enter(number, byteCount, priority ?? Task.currentPriority, answer)
        var turn: Result<Turn, any Error> = .failure(CancellationError())
        await withTaskCancellationHandler {
            await withPriorityEscalation(to: { raise(number, to: $0) }) { turn = await answer.wait() }
        } onCancel: {
            change { _ = $0.waiting.remove(number) }
            answer.resolve(.failure(CancellationError()))
        }
        let granted = try turn.get()
        guard Task.isCancelled else { return granted }
        granted.end()
        throw CancellationError()
    }

    private func enter(
        _ known: Int?, _ byteCount: Int?, _ priority: TaskPriority, _ answer: OneShot<Result<Turn, any Error>>
    ) throws -> Int {
        var number = known ?? 0
        try change { state in
            if let known { state.remove(known) }
            if state.isClosed { throw Self.shutDown }
            if known == nil {
                guard
                    state.waiting.count < maximumQueueLength
                        || state.waiting.isEmpty && state.running.count < width
                else {
                    throw CoordinationError(
                        code: .overloaded,
                        message: "pictures: \(maximumQueueLength) are queued already; try again later")
                }
                state.lastNumber += 1
                number = state.lastNumber
            }
            state.waiting.insert(
                Waiter(number: number, byteCount: byteCount, answer: answer), number: number,
                priority: priority.rawValue)
        }
        return number
    }

    private func raise(_ number: Int, to priority: UInt8) { change { $0.waiting.raise(number, to: priority) } }

    /// Changes the state, and lets begin what may begin then.
    func change<E: Error>(_ body: (inout sending State) throws(E) -> Void) throws(E) {
        var granted: [Waiter] = []
        var onRoom: (@Sendable () -> Void)?
        let failure = state.withLock { state -> E? in
            do throws(E) { try body(&state) } catch { return error }
            granted = state.grants(width, byteLimit)
            if state.isRoomAwaited { (onRoom, state.isRoomAwaited) = (state.onRoom, false) }
            return nil
        }
        onRoom?()
        for waiter in granted {
            let turn = Turn(queue: self, number: waiter.number)
            // One that was cancelled meanwhile has its answer.
            if !waiter.answer.resolve(.success(turn)) { turn.end() }
        }
        if let failure { throw failure }
    }
}

extension JobQueue.State {
    var held: Int { working + pictures + originals }

    /// Whether work may take memory now.
    fileprivate func fits(_ byteCount: Int, _ limit: Int) -> Bool { working == 0 || byteCount <= limit - held }

    /// Whether work that comes before this one waits for memory.
    fileprivate mutating func isOvertaking(_ number: Int, _ priority: UInt8) -> Bool {
        guard let first = waiting.first, first.byteCount != nil, let urgency = waiting.firstPriority else {
            return false
        }
        return urgency > priority || urgency == priority && first.number < number
    }

    fileprivate mutating func remove(_ number: Int) { working -= running.removeValue(forKey: number)?.byteCount ?? 0 }

    /// What may begin now.
    fileprivate mutating func grants(_ width: Int, _ limit: Int) -> [JobQueue.Waiter] {
        var granted: [JobQueue.Waiter] = []
        while running.count < width, !waiting.isEmpty, let first = waiting.first, let priority = waiting.firstPriority {
            if let byteCount = first.byteCount {
                guard fits(byteCount, limit), !isReading(before: first.number, priority) else { break }
            }
            waiting.remove(first.number)
            running[first.number] = JobQueue.Running(byteCount: first.byteCount, priority: priority)
            working += first.byteCount ?? 0
            granted.append(first)
        }
        return granted
    }

    /// Whether work that comes before reads its header, and will ask for memory next.
    fileprivate func isReading(before number: Int, _ priority: UInt8) -> Bool {
        running.contains { other, work in
            work.byteCount == nil && (work.priority > priority || work.priority == priority && other < number)
        }
    }
}
