import Dispatch
import Foundation

/// Something the terminal, or the system on its behalf, wants from the program.
enum TerminalEvent: Sendable {
    case key(Key)
    case resized
    /// Ctrl-Z, from the keyboard or as a signal.
    case suspend
    /// The process goes on after it was stopped.
    case resumed
    /// The program is asked to end: by a signal, or because its terminal is gone.
    case end(status: Int32)
}

/// The events of a terminal as one sequence, in the order in which they came.
struct TerminalEvents {
    let sequence: AsyncStream<TerminalEvent>

    /// Signals go to sources and not to a thread that waits for them: the main thread of a Swift program on Linux lets
    /// every signal in, whatever it was told to block.
    private let sources: [any DispatchSourceSignal]

    /// Listens from now on. Keys are read on a thread that ends with the process.
    init(_ reader: TerminalReader) {
        let (sequence, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
        self.sequence = sequence
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "signals")
        sources = [SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT].map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in continuation.yield(Self.event(number)) }
            source.resume()
            return source
        }
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
