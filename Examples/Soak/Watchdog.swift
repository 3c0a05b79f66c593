import Foundation

/// Ends the process when something does not come to its end in time.
struct Watchdog {
    private let task: Task<Void, Never>

    init(after time: Duration, _ message: String) {
        // Unstructured because it watches what its maker waits for; `stop()` ends it.
        task = Task {
            guard (try? await Task.sleep(for: time)) != nil else { return }
            print(message)
            exit(1)
        }
    }

    func stop() { task.cancel() }
}
