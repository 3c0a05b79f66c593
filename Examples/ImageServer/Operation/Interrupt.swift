// SPDX-License-Identifier: MIT
import Dispatch
import PlatformBasics

/// The signals of the process: `SIGHUP` each time, then the first Ctrl-C or `SIGTERM`. The second one ends the process
/// at once.
final class Interrupt {
    /// What a signal asks for.
    enum Wish { case reload, end }

    private let wishes: AsyncStream<Wish>
    private let sources: [any DispatchSourceSignal]

    init() {
        // The process inherits blocked signals from its parent.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
        let (wishes, continuation) = AsyncStream.makeStream(of: Wish.self, bufferingPolicy: .bufferingOldest(16))
        self.wishes = wishes
        let queue = DispatchQueue(label: "signals")
        let registrations = DispatchGroup()
        sources = [SIGHUP, SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)  // the default would end the process before the source sees the signal
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in
                if number == SIGHUP {
                    continuation.yield(.reload)
                } else {
                    signal(number, SIG_DFL)
                    continuation.yield(.end)
                    continuation.finish()
                }
            }
            registrations.enter()
            source.setRegistrationHandler { @Sendable in registrations.leave() }
            source.resume()
            return source
        }
        // Dispatch registers a source on a thread of its own. Until then the signal would be ignored.
        registrations.wait()
    }

    /// Waits for the first signal that ends the process.
    ///
    /// - Parameter reload: Called for each `SIGHUP` before; without it that signal ends the process, too.
    func wait(onReload reload: (() -> Void)? = nil) async {
        for await wish in wishes {
            guard wish == .reload, let reload else { return }
            reload()
        }
    }
}
