// SPDX-License-Identifier: MIT
import Dispatch
import Foundation

/// Turns the first Ctrl-C or `SIGTERM` into the end of ``wait()``. The second one ends the process at once.
final class Interrupt {
    private let signals: AsyncStream<Int32>
    private let sources: [any DispatchSourceSignal]

    init() {
        // The process inherits blocked signals from its parent.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.signals = signals
        let queue = DispatchQueue(label: "signals")
        let registrations = DispatchGroup()
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)  // the default would end the process before the source sees the signal
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in
                signal(number, SIG_DFL)
                continuation.yield(number)
                continuation.finish()
            }
            registrations.enter()
            source.setRegistrationHandler { @Sendable in registrations.leave() }
            source.resume()
            return source
        }
        // Dispatch registers a source on a thread of its own. Until then the signal would be ignored.
        registrations.wait()
    }

    /// Waits for the first signal.
    func wait() async {
        for await _ in signals { return }
    }
}
