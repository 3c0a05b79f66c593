// SPDX-License-Identifier: MIT
/// Enters the main actor again and again, and remembers the longest wait.
///
/// It measures the turns of all callers and the wait for a processor: an upper bound for the figures of ``TurnMeter``.
actor MainActorProbe {
    private var longest = Duration.zero

    /// Asks until the task is cancelled.
    ///
    /// - Returns: The longest wait.
    func run() async -> Duration {
        while (try? await Task.sleep(for: .milliseconds(1))) != nil {
            let start = ContinuousClock.now
            await MainActor.run {}
            longest = max(longest, ContinuousClock.now - start)
        }
        return longest
    }
}
