// SPDX-License-Identifier: MIT
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EventLoops

#if canImport(Glibc)
import Glibc
import WebImageTesting

/// The loop alone, with actors that know nothing of HTTP.
@Suite(.timeLimit(.minutes(10)))
struct EventLoopTests {
    @Test func `a signal is one event, and the next wait is for another one`() {
        guard let poller = Poller() else {
            Issue.record("no descriptor is left")
            return
        }
        var events = Poller.Events()
        // The descriptor of epoll is readable while an event waits.
        func waitingCount() -> Int32 {
            var epoll = pollfd(fd: poller.epoll, events: Int16(POLLIN), revents: 0)
            return unsafe poll(&epoll, 1, 0)
        }
        for _ in 0..<2 {
            poller.signal()
            expectEqual(waitingCount(), 1)
            poller.wait(milliseconds: 0, &events)
            expectEqual(waitingCount(), 0)
        }
    }

    @Test func `a job finds done what was posted before it`() async {
        let loop = EventLoop(name: "test-loop")
        let resident = Resident(loop)
        expect(loop.start([resident]))
        for count in 1...2_000 {
            resident.mailbox.post(.add(1))
            await expectEqual(resident.sum, count)
        }
        await loop.stopAndJoin()
    }

    @Test func `no message is slept over`() async {
        let loop = EventLoop(name: "test-loop")
        let residents = (0..<3).map { _ in Resident(loop) }
        expect(loop.start(residents))
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<6 {
                group.addTask {
                    for _ in 0..<4_000 {
                        let event = Gate()
                        residents[index % 3].mailbox.post(.fire(event))
                        await event.pass()
                    }
                }
            }
        }
        await loop.stopAndJoin()
    }

    @Test func `each actor hears of its own descriptors`() async throws {
        let loop = EventLoop(name: "test-loop")
        let residents = (0..<2).map { _ in Resident(loop) }
        expect(loop.start(residents))
        let pipes = try (0..<2).map { _ in try Pipe() }
        for (resident, pipe) in zip(residents, pipes) { await resident.watch(pipe.output) }
        for round in 1...20 {
            for index in [1, 0, 0, 1] {
                let event = Gate()
                await residents[index].expectByte(event)
                pipes[index].write(UInt8(round))
                await event.pass()
            }
        }
        for (resident, pipe) in zip(residents, pipes) {
            await expectEqual(resident.bytes, (1...20).flatMap { [UInt8($0), UInt8($0)] })
            await resident.forget(pipe.output)
        }
        await loop.stopAndJoin()
    }

    @Test func `a moment that an actor asked for comes without an event, and not early`() async {
        let loop = EventLoop(name: "test-loop")
        let resident = Resident(loop)
        expect(loop.start([resident, Resident(loop)]))
        for milliseconds in [1, 5, 30] as [UInt64] {
            let event = Gate()
            let moment = EventLoop.nanoseconds + milliseconds * 1_000_000
            resident.mailbox.post(.fireAt(moment, event))
            await event.pass()
            expect(EventLoop.nanoseconds, >=, moment)
            // A job asks for one, too, after the turn.
            let other = Gate()
            await resident.remind(at: EventLoop.nanoseconds + 1_000, other)
            await other.pass()
        }
        await loop.stopAndJoin()
    }

    @Test func `an actor is told of its beginning and its end once, and its jobs outlive the thread`() async {
        let loop = EventLoop(name: "test-loop")
        let resident = Resident(loop)
        // A job that comes before the thread.
        async let early = resident.sum
        expect(loop.start([resident]))
        await expectEqual(early, 0)
        resident.mailbox.post(.add(7))
        async let ends: Void = loop.stopAndJoin()
        await loop.stopAndJoin()
        await ends
        expect(!resident.mailbox.post(.add(1)))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<500 { group.addTask { await resident.add(2) } }
        }
        await expectEqual(resident.sum, 1_007)
        await expectEqual(resident.story, ["begins", "ends"])
        await expectEqual(resident.strays, 0)
    }

    /// The descriptors of this process that are open.
    private static var descriptors: Set<CInt> { Set((0..<1_024 as Range<CInt>).filter { fcntl($0, F_GETFD) >= 0 }) }

    @Test func `a loop gives all descriptors back, and no process that is started inherits one`() async {
        await #expect(processExitsWith: .success) {
            func use(_ look: () -> Void = {}) async {
                let loop = EventLoop(name: "test-loop")
                expect(loop.start([Resident(loop)]))
                look()
                await loop.stopAndJoin()
            }
            for _ in 0..<20 { await use() }
            let before = EventLoopTests.descriptors
            for _ in 0..<20 { await use() }
            // What the process opens at its start may still come and go.
            expect(EventLoopTests.descriptors.count, <, before.count + 10)
            await use {
                let own = EventLoopTests.descriptors.filter {
                    let kind = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
                    return kind?.hasPrefix("anon_inode:[event") == true
                }
                expect(own.count, >=, 2)
                expectEqual(own.filter { fcntl($0, F_GETFD) & FD_CLOEXEC == 0 }, [])
            }
            // With one left, the first of a loop is opened and the second is not.
            let free = (0...CInt.max).first { fcntl($0, F_GETFD) < 0 } ?? 0
            var limit = rlimit(rlim_cur: rlim_t(free) + 1, rlim_max: 1_024)
            unsafe setrlimit(CInt(RLIMIT_NOFILE.rawValue), &limit)
            for _ in 0..<3 {
                let loop = EventLoop(name: "test-loop")
                let resident = Resident(loop)
                expect(!loop.start([resident]))
                // It has ended: its actor runs elsewhere, and no thread is waited for.
                await resident.add(1)
                await loop.stopAndJoin()
                await expectEqual(resident.sum, 1)
            }
            expect(fcntl(free, F_GETFD), <, 0)
        }
    }

    @Test func `the end of a loop is the end of its thread, which takes no signals`() async {
        for count in 1...5 {
            let loop = EventLoop(name: "test-loop")
            let resident = Resident(loop)
            expect(loop.start([resident]))
            await expectEqual(resident.watchThread(), [])
            await expectEqual(resident.threadName, "test-loop\n")
            await loop.stopAndJoin()
            expectEqual(endedThreads.load(ordering: .acquiring), count)
        }
    }

    private static func enter(_ resident: Resident) { resident.assumeIsolated { $0.add(1) } }

    @Test func `an actor is not entered off its loop`() async {
        await #expect(processExitsWith: .failure) {
            let loop = EventLoop(name: "test-loop")
            let resident = Resident(loop)
            _ = loop.start([resident])
            Self.enter(resident)
        }
    }
}

/// The threads that have ended completely, of those that have a value for the key.
private let endedThreads = Atomic(0)
private let endKey: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key) { _ in
        // A caller that does not wait for it comes first.
        for _ in 0..<2_000 { sched_yield() }
        endedThreads.add(1, ordering: .releasing)
    }
    return key
}()

/// An actor that lives on a loop and does nothing useful.
private actor Resident: LoopResident {
    enum Message {
        case add(Int)
        case fire(Gate)
        case fireAt(UInt64, Gate)
    }

    nonisolated let loop: EventLoop
    nonisolated let mailbox: Mailbox<Message>
    private var token: UInt32?
    private var alarm: (moment: UInt64, event: Gate)?
    private var expected: Gate?
    private(set) var sum = 0
    /// How often this actor ran while the loop had another owner.
    private(set) var strays = 0
    private(set) var bytes: [UInt8] = []
    private(set) var story: [String] = []

    init(_ loop: EventLoop) {
        self.loop = loop
        mailbox = Mailbox(on: loop)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    func add(_ number: Int) {
        for turn in 0..<100 {
            // Another owner gets its chance.
            if turn == 50 { sched_yield() }
            if !loop.isOnLoop { strays += 1 }
        }
        sum += number
    }

    func expectByte(_ event: Gate) { expected = event }

    func remind(at moment: UInt64, _ event: Gate) { alarm = (moment, event) }

    func watch(_ descriptor: Int32) {
        expect(loop.watch(descriptor, for: .reading, token: token!, isNew: true))
    }

    func forget(_ descriptor: Int32) { loop.forget(descriptor) }

    /// Has the end of the thread counted, and returns the signals that it takes.
    func watchThread() -> [CInt] {
        unsafe pthread_setspecific(endKey, UnsafeRawPointer(bitPattern: 1))
        var blocked = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &blocked)
        return [SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGPIPE].filter { unsafe sigismember(&blocked, $0) == 0 }
    }

    var threadName: String? { try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8) }

    private func handle(_ message: Message) {
        switch message {
        case .add(let number): add(number)
        case .fire(let event): event.open()
        case .fireAt(let moment, let event): alarm = (moment, event)
        }
    }

    // MARK: - Turns

    var hasMail: Bool { !mailbox.isEmpty }

    func loopBegins(with token: UInt32) {
        self.token = token
        story.append("begins")
    }

    func takeTurn() -> UInt64? {
        for message in mailbox.take() { handle(message) }
        guard let alarm else { return nil }
        guard alarm.moment <= EventLoop.nanoseconds else { return alarm.moment }
        self.alarm = nil
        alarm.event.open()
        return nil
    }

    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness) {
        expectEqual(readiness, .reading)
        var byte: UInt8 = 0
        guard unsafe read(descriptor, &byte, 1) == 1 else { return }
        bytes.append(byte)
        expected?.open()
    }

    func loopEnds() {
        for message in mailbox.close() { handle(message) }
        story.append("ends")
    }
}
#endif
