// SPDX-License-Identifier: MIT
import Dispatch
import Foundation
import Synchronization

/// Turns the first Ctrl-C or `SIGTERM` into a call, so that the program can end in order. The second one ends it at
/// once, and so does a time limit: the program ends in less than a second, even during the decoding of a large picture
/// or with an output that is not read. Files appear by renaming, so an end at any time leaves no partial file.
final class Interrupt {
    private final class Received: Sendable {
        let number = Atomic<Int32>(0)
    }

    private let received: Received
    private let sources: [any DispatchSourceSignal]

    private static let patience = DispatchTimeInterval.milliseconds(500)

    init(_ body: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "signals")
        let received = Received()
        self.received = received
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)  // the default would end the process before the source sees the signal
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { @Sendable in
                signal(number, SIG_DFL)
                received.number.store(number, ordering: .relaxed)
                body()
                queue.asyncAfter(deadline: .now() + Self.patience) { _exit(128 + number) }
            }
            source.resume()
            return source
        }
    }

    /// The exit status of a program that a signal ended; `nil` without a signal.
    var status: Int32? {
        let number = received.number.load(ordering: .relaxed)
        return number == 0 ? nil : 128 + number
    }
}
