/// Asks the main actor for a turn, again and again, and remembers the longest wait.
///
/// It sees every turn, whoever takes it, and the wait for a processor as well: an upper bound for what
/// ``TurnMeter`` measures.
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
