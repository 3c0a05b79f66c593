import Synchronization

/// An actor that lives on an ``EventLoop``: its `unownedExecutor` is the loop's, and the loop gives it turns.
///
/// The loop calls the isolated methods through ``onLoop(_:)``, which costs neither a job nor a task.
protocol LoopResident: Actor {
    nonisolated var loop: EventLoop { get }
    /// Comes before everything else on the loop's thread.
    /// - Parameter seat: What the descriptors of this actor are watched with.
    func loopBegins(at seat: UInt32)
    /// Takes the mail and does what is due; comes before each wait.
    /// - Returns: When the next turn is due at the latest, in nanoseconds of the loop's clock; `nil` for no such time.
    func takeTurn() -> UInt64?
    /// Whether there is mail which the last turn has not taken.
    var hasMail: Bool { get }
    /// A descriptor that this actor watches is ready, or was a moment ago.
    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness)
    /// Comes after the last turn, on the loop's thread.
    func loopEnds()
}

extension LoopResident {
    /// Runs a function in the isolation of this actor, on the loop's thread; traps on any other.
    ///
    /// `assumeIsolated` with the same static rules and the same check, for callbacks that come a dozen times a request: the
    /// runtime takes 130 ns to find the executor and ask it, and this asks it at once. What goes in is passed and not
    /// captured, so that nothing is allocated.
    @inline(__always)
    nonisolated func onLoop<First: Sendable, Second: Sendable & ~Escapable, Answer: Sendable>(
        _ first: First, _ second: Second, _ body: @escaping @Sendable (isolated Self, First, Second) -> Answer
    ) -> Answer {
        precondition(loop.isOnLoop, "Not on the event loop.")
        // The isolated parameter is passed like any other, which the standard library's `assumeIsolated` relies on, too.
        return unsafe unsafeBitCast(body, to: (@Sendable (Self, First, Second) -> Answer).self)(self, first, second)
    }

    @inline(__always)
    nonisolated func onLoop<Answer: Sendable>(_ body: @escaping @Sendable (isolated Self) -> Answer) -> Answer {
        precondition(loop.isOnLoop, "Not on the event loop.")
        return unsafe unsafeBitCast(body, to: (@Sendable (Self) -> Answer).self)(self)
    }
}

/// What a descriptor is, or is to be, ready for.
struct Readiness: OptionSet, Sendable {
    let rawValue: Int32

    static let reading = Readiness(rawValue: 1)
    static let writing = Readiness(rawValue: 2)
    static let failing = Readiness(rawValue: 4)
}

/// Messages for an actor on an event loop: posted anywhere without waiting, taken by the actor in its next turn.
///
/// Jobs of the actor that are enqueued after a message was posted see what the message did.
final class Mailbox<Message: Sendable>: Sendable {
    private struct State {
        var messages: [Message] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let loop: EventLoop

    init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Whether nothing waits to be taken.
    var isEmpty: Bool { state.withLock { $0.messages.isEmpty } }

    /// Posts a message, also from a cancellation handler.
    /// - Returns: `false` when the mailbox is closed.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let isOpen = state.withLock { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            return true
        }
        if isOpen { loop.wake() }
        return isOpen
    }

    /// Takes what is there.
    func take() -> [Message] {
        state.withLock { state in
            let messages = state.messages
            state.messages = []
            return messages
        }
    }

    /// Takes what is there, and refuses what comes.
    func close() -> [Message] {
        state.withLock { state in
            let messages = state.messages
            state = State(isClosed: true)
            return messages
        }
    }
}
