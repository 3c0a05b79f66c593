import Synchronization

/// One thread that is libcurl's event loop and the executor of the client actor at the same time.
///
/// So the actor's methods may call libcurl directly, and libcurl's callbacks touch the actor's transfers without a lock.
/// The thread lives until ``stop()``; jobs that arrive later still run, on a task of the global pool, one at a time, so
/// that no caller is ever left waiting.
final class EventLoop: SerialExecutor {
    enum Message: Sendable {
        case job(UnownedJob)
        case start(Transfer)
        /// The caller of a transfer has been cancelled, or has dropped the body.
        case cancel(UInt64)
        /// The reader of a transfer has made room.
        case resume(UInt64)
        /// A name has been looked up.
        case resolved(String, Result<[IPAddress], NameResolver.Failure>)
    }

    private enum Phase {
        case running
        case stopping
        /// The thread is gone; `isDraining` while a task runs late jobs.
        case ended(isDraining: Bool)
    }

    private struct Inbox {
        var messages: [Message] = []
        var isAsleep = false
        var phase = Phase.running
        var thread: LoopThread?
        var waiters: [CheckedContinuation<Void, Never>] = []
    }

    let multi: CurlMulti
    private let poller: Poller?
    private let inbox = Mutex(Inbox())
    /// The thread that may run jobs and touch the transfers now; 0 when none does.
    private let owner = Atomic<UInt>(0)
    // Touched by the owner alone.
    private nonisolated(unsafe) var jobs: [UnownedJob] = []

    /// Jobs to run before the sockets get a turn.
    private static let jobsPerTurn = 512

    private let lastID = Atomic<UInt64>(0)
    /// Why transfers cannot be started when ``post(_:)`` says that the thread is gone.
    let reasonForEnd: String

    init(configuration: HTTPClient.Configuration, lookUp: @escaping NameResolver.LookUp) {
        let multi = CurlMulti(configuration: configuration, lookUp: lookUp)
        self.multi = multi
        poller = Poller()
        let isUsable = poller != nil ? multi.isUsable : false
        reasonForEnd =
            isUsable ? "The HTTP client was shut down." : "The process has no descriptor left for an HTTP client."
        guard isUsable, let thread = LoopThread(name: "http-loop", { self.run() }) else {
            multi.close(because: reasonForEnd)
            poller?.close()
            inbox.withLock { $0.phase = .ended(isDraining: false) }
            return
        }
        // The thread may have started already, but it ends only after `stop`, which nobody can call yet.
        inbox.withLock { $0.thread = thread }
    }

    /// A number for a transfer of this loop.
    func makeID() -> UInt64 { lastID.add(1, ordering: .relaxed).newValue }

    // MARK: - Executor

    var isOnLoop: Bool { owner.load(ordering: .acquiring) == LoopThread.current }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        if isOnLoop { unsafe jobs.append(job) } else { post(.job(job)) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        unsafe UnownedSerialExecutor(ordinary: self)
    }

    func checkIsolated() {
        precondition(isOnLoop, "Not on the event loop of the HTTP client.")
    }

    func isIsolatingCurrentContext() -> Bool? { isOnLoop }

    /// Hands a message to the loop.
    ///
    /// May be called anywhere, also in cancellation handlers.
    /// - Returns: `false` when the thread is gone; a job runs even then.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isTaken, startsDraining) = inbox.withLock { inbox -> (Bool, Bool) in
            switch (inbox.phase, message) {
            case (.ended(let isDraining), .job):
                inbox.messages.append(message)
                inbox.phase = .ended(isDraining: true)
                return (false, !isDraining)
            case (.ended, _):
                return (false, false)
            case (.running, _), (.stopping, _):
                inbox.messages.append(message)
                // Signalled under the lock: once the phase is `ended` the descriptor may be another one's.
                if inbox.isAsleep { wake(&inbox) }
                return (true, false)
            }
        }
        // Unstructured: the thread is gone, nobody waits for this task, and it ends when no job is left.
        if startsDraining { Task.detached { self.drainLateJobs() } }
        return isTaken
    }

    private func wake(_ inbox: inout Inbox) {
        inbox.isAsleep = false
        poller?.signal()
    }

    // MARK: - End

    /// Lets the thread fail what runs and end, without waiting for it.
    ///
    /// For the client's `deinit`.
    func stop() {
        beginStop()?.detach()
    }

    /// Lets the thread fail what runs and end, and waits until it is gone.
    func stopAndJoin() async {
        let thread = beginStop()
        await withCheckedContinuation { waiter in
            let hasEnded = inbox.withLock { inbox in
                if case .ended = inbox.phase { return true }
                inbox.waiters.append(waiter)
                return false
            }
            if hasEnded { waiter.resume() }
        }
        thread?.join()
    }

    /// The thread goes to the first who stops the loop.
    private func beginStop() -> LoopThread? {
        inbox.withLock { inbox in
            if case .running = inbox.phase { inbox.phase = .stopping }
            if inbox.isAsleep { wake(&inbox) }
            return inbox.thread.take()
        }
    }

    // MARK: - The thread

    private func run() {
        owner.store(LoopThread.current, ordering: .releasing)
        multi.open(on: self)
        while takeMessages() {
            runJobs()
            multi.admitWaiting()
            poll()
        }
        multi.close(because: reasonForEnd)
        repeat { runJobs() } while !endIfIdle()
    }

    /// Moves what arrived to where it belongs.
    /// - Returns: `false` when the loop is to end.
    private func takeMessages() -> Bool {
        let (messages, isRunning) = inbox.withLock { inbox -> ([Message], Bool) in
            let messages = inbox.messages
            inbox.messages = []
            if case .running = inbox.phase { return (messages, true) }
            return (messages, false)
        }
        for message in messages {
            switch message {
            case .job(let job): unsafe jobs.append(job)
            case .start(let transfer): multi.start(transfer)
            case .cancel(let id): multi.cancel(id)
            case .resume(let id): multi.resume(id)
            case .resolved(let name, let result): multi.resolved(name, result)
            }
        }
        return isRunning
    }

    private func runJobs() {
        var next = 0
        // Jobs add jobs while they run: by index, and no longer than a turn.
        while unsafe next < jobs.count, next < Self.jobsPerTurn {
            let job = unsafe jobs[next]
            next += 1
            unsafe job.runSynchronously(on: asUnownedSerialExecutor())
        }
        unsafe jobs.removeFirst(next)
    }

    private func poll() {
        let mayWait =
            unsafe jobs.isEmpty
            && inbox.withLock { inbox in
                guard inbox.messages.isEmpty, case .running = inbox.phase else { return false }
                inbox.isAsleep = true
                return true
            }
        poller?.wait(milliseconds: mayWait ? multi.millisecondsToNextDeadline() : 0) { descriptor, actions in
            multi.socketIsReady(descriptor, actions)
        }
        if mayWait { inbox.withLock { $0.isAsleep = false } }
        multi.finishTurn()
    }

    /// Ends the loop if nothing is left to do, in the same stretch in which late jobs start to take the other way.
    private func endIfIdle() -> Bool {
        guard !takeMessages(), unsafe jobs.isEmpty else { return false }
        let waiters = inbox.withLock { inbox -> [CheckedContinuation<Void, Never>]? in
            guard inbox.messages.isEmpty else { return nil }
            // In this order: whoever sees `ended` may become the owner at once.
            owner.store(0, ordering: .releasing)
            inbox.phase = .ended(isDraining: false)
            poller?.close()
            let waiters = inbox.waiters
            inbox.waiters = []
            return waiters
        }
        guard let waiters else { return false }
        for waiter in waiters { waiter.resume() }
        return true
    }

    /// Runs jobs that arrived after the end, for example of a `send` after `shutdown`.
    ///
    /// At most one of these runs.
    private func drainLateJobs() {
        owner.store(LoopThread.current, ordering: .releasing)
        var isDone = false
        while !isDone {
            _ = takeMessages()
            runJobs()
            guard unsafe jobs.isEmpty else { continue }
            isDone = inbox.withLock { inbox in
                guard inbox.messages.isEmpty else { return false }
                owner.store(0, ordering: .releasing)
                inbox.phase = .ended(isDraining: false)
                return true
            }
        }
    }

    /// Watches or forgets a socket for libcurl.
    func watch(_ descriptor: Int32, for what: Int32, isNew: Bool) -> Bool {
        poller?.watch(descriptor, for: what, isNew: isNew) ?? false
    }

    func forget(_ descriptor: Int32) {
        poller?.forget(descriptor)
    }
}
