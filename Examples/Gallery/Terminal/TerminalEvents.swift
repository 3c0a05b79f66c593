// SPDX-License-Identifier: MIT
import Dispatch
import Foundation

/// An event from the terminal, or from the system about the terminal.
enum TerminalEvent: Sendable {
    case key(Key)
    case resized
    /// Ctrl-Z, from the keyboard or as a signal.
    case suspend
    /// The process continues after it was stopped.
    case resumed
    /// The program must end: by a signal, or because its terminal was closed.
    case end(status: Int32)
}

/// The events of a terminal as one sequence, in order of arrival.
struct TerminalEvents {
    let sequence: AsyncStream<TerminalEvent>

    /// Dispatch sources and not a waiting thread take the signals: the main thread of a Swift program on Linux receives
    /// every signal, even when it blocks it.
    private let sources: [any DispatchSourceSignal]

    /// Creates the sequence and listens from now on. Keys are read on a thread that ends with the process.
    init(_ reader: TerminalReader) {
        let (sequence, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
        self.sequence = sequence
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "signals")
        let registrations = DispatchGroup()
        sources = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in continuation.yield(Self.event(number)) }
            registrations.enter()
            source.setRegistrationHandler { @Sendable in registrations.leave() }
            source.resume()
            return source
        }
        // Dispatch registers a source on a thread of its own. Until then a signal would end the program, and the
        // terminal would stay as it is.
        registrations.wait()
        Thread.detachNewThread {
            var reader = reader
            while let inputs = reader.read() {
                for case .key(let key) in inputs { continuation.yield(key == .suspend ? .suspend : .key(key)) }
            }
            continuation.yield(.end(status: 128 + SIGHUP))
        }
    }

    private static func event(_ signal: Int32) -> TerminalEvent {
        switch signal {
        case SIGWINCH: .resized
        case SIGTSTP: .suspend
        case SIGCONT: .resumed
        default: .end(status: 128 + signal)
        }
    }
}
