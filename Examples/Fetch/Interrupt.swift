import Dispatch
import Foundation

/// Turns the first Ctrl-C or `SIGTERM` into a call, so that the program can end in order. The second ends it at once.
final class Interrupt {
    private let sources: [any DispatchSourceSignal]

    init(_ body: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "signals")
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)  // the default would end the process before the source sees the signal
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in
                body()
                signal(number, SIG_DFL)
            }
            source.resume()
            return source
        }
    }

    func stop() {
        for source in sources { source.cancel() }
    }
}
