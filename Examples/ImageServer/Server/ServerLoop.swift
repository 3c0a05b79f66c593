// SPDX-License-Identifier: MIT
import CMicrohttpd
import Foundation
import Synchronization

/// An actor on a ``ServerLoop``: its `unownedExecutor` is the loop's.
protocol LoopResident: Actor {
    nonisolated var loop: ServerLoop { get }
    /// Does the work that is due. Called before each wait.
    /// - Returns: The milliseconds until the next turn is due; negative for no limit.
    func takeTurn() -> Int32
    /// Called when a descriptor that this actor watches is ready, or was a moment ago.
    func descriptorIsReady(_ descriptor: Int32)
}

/// One thread that waits with epoll and is the executor of the actors that live on it.
///
/// It is not the `EventLoop` of the package, whose actors are known when it starts and stay until it ends: here servers
/// join and leave, and a connection that libmicrohttpd has suspended is watched for its departure alone.
///
/// The thread ends when the last reference to the loop is released. Actors on the loop hold it, so a job never comes
/// after the end.
final class ServerLoop: SerialExecutor {
    private let core: LoopCore

    /// - Throws: ``ServerError`` when the process has no descriptor left.
    init() throws(ServerError) {
        guard let core = LoopCore() else { throw ServerError.system("The server's thread cannot wait for events") }
        self.core = core
        let thread = Thread { core.run() }
        thread.name = "image-server"
        thread.start()
    }

    deinit { core.stop() }

    func enqueue(_ job: consuming ExecutorJob) {
        unsafe core.enqueue(LoopCore.Entry(job: UnownedJob(job), executor: asUnownedSerialExecutor()))
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }

    var isOnThread: Bool { core.isOnThread }

    func checkIsolated() { precondition(core.isOnThread, "Not on the thread of the server.") }

    func isIsolatingCurrentContext() -> Bool? { core.isOnThread }

    /// Takes turns with an actor until it leaves.
    /// - Returns: The seat, with which the actor watches descriptors.
    func join(_ resident: any LoopResident) -> UInt32 { core.join(resident) }

    /// Ends the turns of an actor.
    func leave(_ seat: UInt32) { core.leave(seat) }

    /// Watches a descriptor for bytes to read, or for the departure of the peer alone.
    /// - Returns: Whether the kernel agreed.
    func watch(_ descriptor: Int32, seat: UInt32, forHangUp: Bool = false) -> Bool {
        server_epoll_watch(core.epoll, descriptor, seat, forHangUp ? 1 : 0) == 0
    }

    /// Stops watching a descriptor, before it is closed.
    func forget(_ descriptor: Int32) { server_epoll_forget(core.epoll, descriptor) }
}

/// What the thread of a ``ServerLoop`` needs, apart from the loop itself, so that the loop can be released.
private final class LoopCore: Sendable {
    @safe struct Entry {
        let job: UnownedJob
        let executor: UnownedSerialExecutor
    }

    private struct Inbox {
        var entries: [Entry] = []
        var residents: [UInt32: any LoopResident] = [:]
        var lastSeat: UInt32 = 0
        var isAsleep = false
        var isStopping = false
    }

    let epoll: Int32
    private let event: Int32
    private let inbox = Mutex(Inbox())
    private let owner = Atomic<UInt>(0)

    init?() {
        epoll = server_epoll_create()
        event = server_eventfd_create()
        guard epoll >= 0, event >= 0, server_epoll_watch(epoll, event, 0, 0) == 0 else {
            close(epoll)
            close(event)
            return nil
        }
    }

    deinit {
        close(epoll)
        close(event)
    }

    var isOnThread: Bool { owner.load(ordering: .acquiring) == UInt(pthread_self()) }

    func enqueue(_ entry: Entry) { change { $0.entries.append(entry) } }

    func stop() { change { $0.isStopping = true } }

    func join(_ resident: any LoopResident) -> UInt32 {
        change {
            $0.lastSeat += 1  // the seat 0 is the thread's own
            $0.residents[$0.lastSeat] = resident
            return $0.lastSeat
        }
    }

    func leave(_ seat: UInt32) { change { $0.residents[seat] = nil } }

    /// Changes the inbox and wakes the thread.
    private func change<Value: Sendable>(_ body: (inout Inbox) -> Value) -> Value {
        let (value, wakes) = inbox.withLock { inbox in
            let value = body(&inbox)
            defer { inbox.isAsleep = false }
            return (value, inbox.isAsleep)
        }
        if wakes { server_eventfd_signal(event) }
        return value
    }

    func run() {
        owner.store(UInt(pthread_self()), ordering: .releasing)
        var events = [server_event](repeating: server_event(), count: 64)
        while true {
            let (entries, residents, isStopping) = inbox.withLock { inbox in
                defer { inbox.entries = [] }
                return (inbox.entries, inbox.residents, inbox.isStopping)
            }
            if isStopping { return }
            for entry in entries { unsafe entry.job.runSynchronously(on: entry.executor) }
            var milliseconds: Int32 = -1
            for resident in residents.values {
                let due = resident.turn()
                if due >= 0 { milliseconds = milliseconds < 0 ? due : min(milliseconds, due) }
            }
            let maySleep = inbox.withLock { inbox in
                inbox.isAsleep = inbox.entries.isEmpty && !inbox.isStopping
                return inbox.isAsleep
            }
            let count = unsafe server_epoll_wait(epoll, &events, maySleep ? milliseconds : 0)
            inbox.withLock { $0.isAsleep = false }
            for ready in events.prefix(Int(count)) {
                if ready.seat == 0 { server_eventfd_clear(event) }
                residents[ready.seat]?.wake(ready.descriptor)
            }
        }
    }
}

extension LoopResident {
    fileprivate nonisolated func turn() -> Int32 { onLoop { $0.takeTurn() } }
    fileprivate nonisolated func wake(_ descriptor: Int32) { onLoop { $0.descriptorIsReady(descriptor) } }

    /// Runs a function in the isolation of this actor, on the loop's thread; traps on any other.
    ///
    /// `assumeIsolated` with the same static rules and the same check, for callbacks that run five times for each
    /// request: the runtime takes 130 ns to find and ask the executor, and this function asks it directly.
    nonisolated func onLoop<Answer>(_ body: (isolated Self) -> Answer) -> Answer {
        precondition(loop.isOnThread, "Not on the thread of the server.")
        // An isolated parameter is passed like any other; the standard library's `assumeIsolated` relies on it, too.
        return withoutActuallyEscaping(body) { unsafe unsafeBitCast($0, to: ((Self) -> Answer).self)(self) }
    }
}
