// SPDX-License-Identifier: MIT
import Dispatch
import Locks

/// A task executor on a bounded number of threads of its own, first in, first out.
///
/// Threads are started when there is a job and no idle thread, and end when they are told to ``stop(joining:)``. They
/// hold the executor, so it lives until the last of them has ended.
final class WorkerThreads: TaskExecutor {
    private struct State {
        var jobs = HeadQueue<UnownedJob>()
        var idle = 0
        var handles: [PlatformThread.Handle] = []
        var isStopped = false
    }

    private let name: String
    private let limit: Int
    private let niceness: Int
    private let state = Mutex(State())
    private let bell = DispatchSemaphore(value: 0)

    init(name: String, limit: Int, niceness: Int) {
        self.name = name
        self.limit = limit
        self.niceness = niceness
    }

    /// How many threads have been started and not yet been stopped.
    var count: Int { state.withLock { $0.handles.count } }

    /// A job that no thread can take, because the system gives none or they have ended, goes to the default pool: a
    /// slow answer is better than a task that never ends.
    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isAccepted = state.withLock { state in
            guard !state.isStopped else { return false }
            if state.jobs.count >= state.idle, state.handles.count < limit { startThread(&state) }
            guard !state.handles.isEmpty else { return false }
            state.jobs.append(job)
            return true
        }
        if isAccepted { bell.signal() } else { globalConcurrentExecutor.enqueue(job) }
    }

    /// Lets the threads end when they have done what is queued.
    ///
    /// - Parameter joining: Whether to wait for them. Not on a thread of this executor.
    func stop(joining: Bool) {
        let handles = state.withLock { state in
            state.isStopped = true
            defer { state.handles = [] }
            return state.handles
        }
        for _ in handles { bell.signal() }
        for handle in handles {
            if joining { PlatformThread.join(handle) } else { PlatformThread.detach(handle) }
        }
    }

    private func startThread(_ state: inout State) {
        let label = PlatformThread.label(name, number: state.handles.count + 1)
        let handle = PlatformThread.start { [self, niceness] in
            PlatformThread.describeCurrent(label: label, niceness: niceness)
            work()
        }
        guard let handle else { return }
        state.handles.append(handle)
    }

    private func work() {
        while let job = nextJob() {
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Waits for a job.
    ///
    /// `nil` when the threads are stopped and nothing is queued.
    private func nextJob() -> UnownedJob? {
        state.withLock { $0.idle += 1 }
        bell.wait()
        return state.withLock { state in
            state.idle -= 1
            return state.jobs.popFirst()
        }
    }
}

/// What a thread runs, in the form in which a C function can be given it.
final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

extension PlatformThread {
    /// `name-number`, with the name shortened to what the system keeps.
    static func label(_ name: String, number: Int) -> String {
        let suffix = "-\(number)"
        var name = name[...]
        while name.utf8.count + suffix.utf8.count > labelLimit, !name.isEmpty { name.removeLast() }
        return name + suffix
    }
}
