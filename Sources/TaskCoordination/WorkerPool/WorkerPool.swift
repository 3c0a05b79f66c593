// SPDX-License-Identifier: MIT
/// A bounded pool for work that blocks or computes for long, on threads of its own.
///
/// The queue is made of ``Slots`` in front of the threads, because a task that is queued in an executor does not move
/// when it is escalated. At most `width` pieces of work are handed to the threads at a time, so the order is always
/// that of the slots, and a queued caller can be moved forward or cancelled at once.
public final class WorkerPool: Sendable {
    /// How many pieces of work run at once, at most.
    public var width: Int { slots.limit }

    /// How many callers wait for a thread.
    public var queued: Int { slots.queued }

    /// How many pieces of work run.
    public var running: Int { slots.running }

    /// How many threads have been started, and not been told to end.
    package var threadCount: Int { threads?.count ?? 0 }

    /// How many entries there are, of any kind; see ``Slots/entryCount``. For tests.
    package var entryCount: Int { slots.entryCount }

    private let slots: Slots
    private let executor: any TaskExecutor
    /// `nil` when the executor belongs to the caller.
    private let threads: WorkerThreads?

    /// Creates a pool with threads of its own.
    ///
    /// They are started one by one, when there is work and none of them is idle.
    ///
    /// - Parameters:
    ///   - name: The threads are called `name-1`, `name-2` and so on, shortened to what the system allows.
    ///   - width: How many threads there are, at most. At least 1.
    ///   - maximumQueueLength: How many callers wait for a thread, at most. 0 refuses every caller that finds no idle
    ///     thread.
    ///   - niceness: Added to the threads' nice value, where the system has one per thread. A negative one needs
    ///     privileges and is ignored without them.
    public init(name: String, width: Int, maximumQueueLength: Int, niceness: Int = 0) {
        slots = Slots(limit: width, maximumQueueLength: maximumQueueLength, name: name)
        let threads = WorkerThreads(name: name, limit: width, niceness: niceness)
        executor = threads
        self.threads = threads
    }

    /// Creates a pool that runs its work on the given executor, which tests drive.
    ///
    /// - Parameters:
    ///   - name: What the messages of errors call the pool.
    ///   - width: How many pieces of work run at once, at most. At least 1.
    ///   - maximumQueueLength: How many callers wait, at most.
    ///   - executor: Where the work runs. It outlives the pool.
    public init(name: String, width: Int, maximumQueueLength: Int, executor: any TaskExecutor) {
        slots = Slots(limit: width, maximumQueueLength: maximumQueueLength, name: name)
        self.executor = executor
        threads = nil
    }

    /// Runs `body` on a thread of the pool.
    ///
    /// **Cancellation**: a queued caller returns at once and its body never starts. A body that runs is not
    /// interrupted; it runs inside the calling task, so `Task.isCancelled` and `Task.checkCancellation()` work in it.
    ///
    /// **Isolation**: never on the caller's actor, which stays free. Task-local values are those of the caller.
    ///
    /// **Priority**: decides the place in the queue; see ``Slots/withSlot(priority:_:)``.
    ///
    /// - Throws: What `body` throws; `CancellationError`; ``CoordinationError`` with code `.overloaded` when the queue
    ///   is at its limit, `.shutDown` after ``shutdown()``.
    @concurrent
    public func run<T: Sendable>(
        priority: TaskPriority? = nil, _ body: @Sendable () throws -> T
    ) async throws -> T {
        let permit = try await slots.acquire(priority: priority)
        return try await withTaskExecutorPreference(executor) { try await perform(body, permit) }
    }

    /// On the executor.
    ///
    /// The slot is given back here and not where the caller resumes, which may be busy.
    @concurrent
    private func perform<T: Sendable>(_ body: @Sendable () throws -> T, _ permit: Slots.Permit) async throws -> T {
        defer { slots.release(permit) }
        try Task.checkCancellation()
        return try body()
    }

    /// Refuses every later and every queued caller, waits for the work that runs, and ends the threads.
    ///
    /// **Cancellation**: ignored; the wait lasts as long as the running bodies do. No thread of the pool is left when
    /// the first call returns.
    public func shutdown() async {
        slots.close()
        await slots.drain()
        threads?.stop(joining: true)
    }

    /// Refuses every later and every queued caller, and lets the threads end by themselves.
    ///
    /// Returns without waiting. A thread whose body never returns stays; it holds what the body holds, and nothing else
    /// waits for it.
    package func abandon() {
        slots.close()
        threads?.stop(joining: false)
    }

    /// Nothing runs here any more, as every ``run(priority:_:)`` holds the pool. The threads end by themselves.
    deinit { threads?.stop(joining: false) }
}
