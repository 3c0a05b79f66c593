// SPDX-License-Identifier: MIT
public import Locks

/// An actor on an ``EventLoop``: its `unownedExecutor` is the loop's, and the loop runs its turns.
///
/// The loop enters it with `assumeIsolated`, which costs neither a job nor a task.
@usableFromInline package protocol LoopResident: Actor {
    nonisolated var loop: EventLoop { get }
    /// Called before all other methods, on the loop's thread.
    /// - Parameter token: The number with which this actor watches descriptors.
    func loopBegins(with token: UInt32)
    /// Takes the messages and does the work that is due. Called before each wait.
    /// - Returns: When the next turn is due at the latest, in nanoseconds of the loop's clock; `nil` for no limit.
    func takeTurn() -> UInt64?
    /// Whether there are messages that the last turn has not taken.
    var hasMail: Bool { get }
    /// Called when a descriptor that this actor watches is ready, or was a moment ago.
    func descriptorIsReady(_ descriptor: Int32, _ readiness: Readiness)
    /// Called after the last turn, on the loop's thread.
    func loopEnds()
}

/// The operations that a descriptor is ready for, or is watched for.
@usableFromInline package struct Readiness: OptionSet, Sendable {
    @usableFromInline package let rawValue: Int32

    @usableFromInline package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let reading = Readiness(rawValue: 1)
    package static let writing = Readiness(rawValue: 2)
    package static let failing = Readiness(rawValue: 4)
    /// The peer has ended its direction, or both.
    package static let leaving = Readiness(rawValue: 8)
}

/// Messages for an actor on an event loop: any thread posts them without waiting, and the actor takes them in its next
/// turn.
///
/// A job of the actor that is enqueued after a message runs after that message is handled.
@usableFromInline package final class Mailbox<Message: Sendable>: Sendable {
    @usableFromInline struct State {
        @usableFromInline var messages: [Message] = []
        @usableFromInline var isClosed = false

        @inlinable init(isClosed: Bool = false) { self.isClosed = isClosed }
    }

    @usableFromInline let state = Mutex(State())
    @usableFromInline let loop: EventLoop

    @inlinable package init(on loop: EventLoop) {
        self.loop = loop
    }

    /// Whether no message waits.
    @inlinable package var isEmpty: Bool { state.withLock { $0.messages.isEmpty } }

    /// Posts a message, also from a cancellation handler.
    /// - Returns: `false` when the mailbox is closed.
    @discardableResult @inlinable
    package func post(_ message: Message) -> Bool {
        let isOpen = state.withLock { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            return true
        }
        if isOpen { loop.wake() }
        return isOpen
    }

    /// Takes the messages.
    @inlinable package func take() -> [Message] {
        state.withLock { exchange(&$0.messages, with: []) }
    }

    /// Takes the messages, and refuses later ones.
    @inlinable package func close() -> [Message] {
        state.withLock { exchange(&$0, with: State(isClosed: true)).messages }
    }
}
