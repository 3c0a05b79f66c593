// SPDX-License-Identifier: MIT
import Dispatch
import Locks
import PlatformBasics

/// Turns the first Ctrl-C or `SIGTERM` into a call, so that the program can end in order. The second one ends it at
/// once, and so does a time limit: the program ends in less than a second, even during the decoding of a large picture
/// or with an output that is not read. Files appear by renaming, so an end at any time leaves no partial file.
final class Interrupt {
    private struct State {
        var number: Int32?
        var body: @Sendable () -> Void = {}
    }

    private final class Received: Sendable {
        let state = Mutex(State())
    }

    private let received = Received()
    private let sources: [any DispatchSourceSignal]

    private static let patience = DispatchTimeInterval.milliseconds(500)

    /// Takes signals from now on: none that comes after is lost.
    init() {
        let queue = DispatchQueue(label: "signals")
        let registrations = DispatchGroup()
        sources = [SIGINT, SIGTERM].map { [received] number in
            signal(number, SIG_IGN)  // the default would end the process before the source sees the signal
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in
                signal(number, SIG_DFL)
                let body = received.state.withLock { state in
                    state.number = number
                    return state.body
                }
                body()
                queue.asyncAfter(deadline: .now() + Self.patience) { _exit(128 + number) }
            }
            registrations.enter()
            source.setRegistrationHandler { @Sendable in registrations.leave() }
            source.resume()
            return source
        }
        // Dispatch registers a source on a thread of its own. Until then the signal would be ignored.
        registrations.wait()
    }

    /// Calls `body` at the first signal; at once when it has come already.
    func onSignal(_ body: @escaping @Sendable () -> Void) {
        let hasCome = received.state.withLock { state in
            state.body = body
            return state.number != nil
        }
        if hasCome { body() }
    }

    /// The exit status of a program that a signal ended; `nil` without a signal.
    var status: Int32? { received.state.withLock { $0.number }.map { 128 + $0 } }
}
