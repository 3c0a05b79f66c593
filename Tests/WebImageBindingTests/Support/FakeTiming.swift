// SPDX-License-Identifier: MIT
import WebImageBinding

/// A system that grants a number of times.
@MainActor
final class FakeTiming: BackgroundTiming {
    private(set) var running: [Int: @MainActor @Sendable () -> Void] = [:]
    private(set) var begun = 0
    private(set) var ended: [Int] = []
    var grants = true
    /// Whether a time is over as soon as it begins.
    var isOver = false
    var timeRemaining: Duration?

    func begin(_ name: String, onEnd: @escaping @MainActor @Sendable () -> Void) -> Int? {
        guard grants else { return nil }
        begun += 1
        running[begun] = onEnd
        if isOver { onEnd() }
        return begun
    }

    func end(_ number: Int) {
        running[number] = nil
        ended.append(number)
    }
}
