// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// One thread that waits for descriptors, deadlines and messages, and is the executor of the actors on the loop.
///
/// An actor on a loop may call a C library that needs one thread, and the callbacks of the library enter the actor
/// with `assumeIsolated`. The thread keeps the actors until ``stop()``. Later jobs run one at a time on a
/// task of the global pool, so that every caller is resumed.
@usableFromInline package final class EventLoop: SerialExecutor {
    private enum Phase {
        case new
        case running
        case stopping
        /// The thread has ended; `isDraining` while a task runs late jobs.
        case ended(isDraining: Bool)
    }

    private struct Inbox {
        var jobs: [UnownedJob] = []
        var phase = Phase.new
        var thread: PlatformThread.Handle?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    private let name: String
    private let poller = Poller()
    private let inbox = Mutex(Inbox())
    /// Whether the thread waits or is about to wait.
    private let isAsleep = Atomic<Bool>(false)
    /// The thread that may run jobs now; 0 for none.
    private let owner = Atomic<UInt>(0)

    package init(name: String) {
        self.name = name
    }

    /// Starts the thread, which runs the turns of the residents and keeps them until it ends.
    ///
    /// Called once, before ``stop()``.
    /// - Returns: `false` when the process has no thread or descriptor left; the loop has then ended.
    package func start(_ residents: [any LoopResident]) -> Bool {
        inbox.withLock { $0.phase = .running }
        guard poller != nil, let thread = PlatformThread.start(for: name, { self.run(residents) }) else {
            inbox.withLock { $0.phase = .ended(isDraining: false) }
            return false
        }
        // The thread may run already, but it ends only after `stop`.
        inbox.withLock { $0.thread = thread }
        return true
    }

    /// Nanoseconds of the clock of all loops.
    package static var nanoseconds: UInt64 { PlatformThread.nanoseconds }

    // MARK: - Executor

    @usableFromInline package var isOnLoop: Bool { owner.load(ordering: .acquiring) == PlatformThread.current }

    @usableFromInline package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let startsDraining = inbox.withLock { inbox in
            inbox.jobs.append(job)
            guard case .ended(let isDraining) = inbox.phase else { return false }
            inbox.phase = .ended(isDraining: true)
            return !isDraining
        }
        wake()
        // Unstructured: the thread has ended, no caller waits for this task, and it ends when no job is left.
        if startsDraining { Task.detached { self.drain() } }
    }

    @usableFromInline package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    @usableFromInline package func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    // MARK: - Events

    /// Ends the wait of the thread, if it waits.
    ///
    /// Call it after the change that the thread must see, which a lock guards. The thread sets `isAsleep` before its
    /// last check for changes. So either that check finds the change, or this call finds the thread asleep.
    @usableFromInline package func wake() {
        guard isAsleep.load(ordering: .acquiring), isAsleep.exchange(false, ordering: .acquiringAndReleasing) else {
            return
        }
        poller?.signal()
    }

    /// Watches a descriptor for a resident.
    /// - Parameters:
    ///   - token: The resident's, from ``LoopResident/loopBegins(with:)``.
    ///   - isNew: Whether it is not watched yet.
    /// - Returns: Whether the kernel agreed.
    package func watch(_ descriptor: Int32, for interest: Readiness, token: UInt32, isNew: Bool) -> Bool {
        poller?.watch(descriptor, for: interest, token: token, isNew: isNew) ?? false
    }

    /// Stops watching a descriptor.
    package func forget(_ descriptor: Int32) {
        poller?.forget(descriptor)
    }

    // MARK: - End

    /// Makes the thread tell its residents and end, without waiting for it.
    package func stop() {
        beginStop().map(PlatformThread.detach)
    }

    /// Makes the thread tell its residents and end, and waits until it has ended.
    package func stopAndJoin() async {
        let thread = beginStop()
        await withCheckedContinuation { waiter in
            let hasEnded = inbox.withLock { inbox in
                if case .ended = inbox.phase { return true }
                inbox.waiters.append(waiter)
                return false
            }
            if hasEnded { waiter.resume() }
        }
        thread.map(PlatformThread.join)
    }

    /// The first caller that stops the loop gets the thread.
    private func beginStop() -> PlatformThread.Handle? {
        let thread = inbox.withLock { inbox in
            if case .running = inbox.phase { inbox.phase = .stopping }
            return inbox.thread.take()
        }
        wake()
        return thread
    }

    // MARK: - The thread

    private func run(_ residents: [any LoopResident]) {
        owner.store(PlatformThread.current, ordering: .releasing)
        var events = Poller.Events()
        for (token, resident) in residents.enumerated() {
            resident.assumeIsolated { $0.loopBegins(with: UInt32(token)) }
        }
        while let jobs = takeJobs() {
            var deadline = UInt64.max
            for resident in residents { deadline = min(deadline, resident.assumeIsolated { $0.takeTurn() } ?? .max) }
            // After the turns, so that messages posted before a job are handled before it. A job may leave new work.
            for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
            wait(until: jobs.isEmpty ? deadline : 0, for: residents, &events)
            for index in 0..<events.count {
                let event = events[index]
                residents[Int(event.token)].assumeIsolated {
                    $0.descriptorIsReady(event.descriptor, event.readiness)
                }
            }
        }
        for resident in residents { resident.assumeIsolated { $0.loopEnds() } }
        drain()
    }

    /// The jobs that have arrived; `nil` when the loop must end.
    private func takeJobs() -> [UnownedJob]? {
        inbox.withLock { inbox in
            guard case .running = inbox.phase else { return nil }
            return exchange(&inbox.jobs, with: [])
        }
    }

    /// Waits for events, unless something has arrived since the turn began.
    private func wait(until deadline: UInt64, for residents: [any LoopResident], _ events: inout Poller.Events) {
        let now = Self.nanoseconds
        guard deadline > now else { return poller?.wait(milliseconds: 0, &events) ?? () }
        isAsleep.store(true, ordering: .sequentiallyConsistent)
        let hasNews =
            inbox.withLock { inbox in
                if case .running = inbox.phase { !inbox.jobs.isEmpty } else { true }
            } || residents.contains { $0.assumeIsolated { $0.hasMail } }
        poller?.wait(milliseconds: hasNews ? 0 : Self.milliseconds(from: now, to: deadline), &events)
        isAsleep.store(false, ordering: .releasing)
    }

    /// Rounded up, so that the deadline has passed when the wait ends; -1 for a wait without a limit.
    private static func milliseconds(from now: UInt64, to deadline: UInt64) -> Int32 {
        deadline == .max ? -1 : Int32(clamping: (deadline - now + 999_999) / 1_000_000)
    }

    /// Runs the jobs that are left, and later the jobs that arrive after the end, for example a call of an actor whose
    /// loop has stopped.
    ///
    /// It ends under the lock under which a later job starts a task of its own. At most one thread runs it.
    private func drain() {
        owner.store(PlatformThread.current, ordering: .releasing)
        while true {
            let (jobs, waiters) = inbox.withLock { inbox in
                let jobs = exchange(&inbox.jobs, with: [])
                guard jobs.isEmpty else { return (jobs, [CheckedContinuation<Void, Never>]()) }
                // In this order: the next owner may start as soon as the phase allows it.
                owner.store(0, ordering: .releasing)
                inbox.phase = .ended(isDraining: false)
                return ([], exchange(&inbox.waiters, with: []))
            }
            for job in jobs { unsafe job.runSynchronously(on: asUnownedSerialExecutor()) }
            for waiter in waiters { waiter.resume() }
            if jobs.isEmpty { return }
        }
    }
}
