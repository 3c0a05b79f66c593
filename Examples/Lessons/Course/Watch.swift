// SPDX-License-Identifier: MIT
import Dispatch

/// Tells of work that does not come to its end: a loop without an `await`, which nothing else can stop.
struct Watch {
    private let timer: any DispatchSourceTimer
    private let patience: DispatchTimeInterval

    /// - Parameters:
    ///   - patience: How long a piece of work may take.
    ///   - tell: Runs on another thread when one takes longer.
    init(patience: DispatchTimeInterval, tell: @escaping @Sendable () -> Void) {
        (timer, self.patience) = (DispatchSource.makeTimerSource(), patience)
        timer.setEventHandler(handler: tell)
        timer.activate()
    }

    /// Ends the piece of work before, and begins the next one.
    func begin() { timer.schedule(deadline: .now() + patience) }
}
