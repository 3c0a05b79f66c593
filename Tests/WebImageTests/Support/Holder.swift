// SPDX-License-Identifier: MIT
import WebImageTesting

/// A caller of any kind.
protocol Ended: Sendable {
    var wasCancelled: Bool { get }
    /// With a value, or by cancellation.
    var hasOneEnd: Bool { get }
    func cancel()
}

extension Probe: Ended {
    var hasOneEnd: Bool { value != nil || wasCancelled }
}

/// Holds callers, so that the work they wait for can cancel them.
final class Holder: Sendable {
    private let callers = Journal<any Ended>()
    private let executors = Journal<SeededExecutor>()
    private let isOver = Journal<Bool>()

    var allCancelled: Bool { callers.count > 0 && callers.entries.allSatisfy { $0.wasCancelled } }

    func hold(_ held: [any Ended], on executor: SeededExecutor) {
        for caller in held { callers.write(caller) }
        executors.write(executor)
    }

    func letGo() { isOver.write(true) }

    /// Cancels the callers in the middle of a long piece of work. Other tasks do not wait for the work, so they run.
    func cancel() {
        guard isOver.count == 0 else { return }
        for caller in callers.entries { caller.cancel() }
        for executor in executors.entries { executor.drain() }
    }
}
