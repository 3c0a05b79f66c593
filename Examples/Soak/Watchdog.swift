// SPDX-License-Identifier: MIT
import Foundation

/// Ends the process when some work does not end in time.
struct Watchdog {
    private let task: Task<Void, Never>

    init(after time: Duration, _ message: String) {
        // Unstructured because it watches the work that its creator waits for; `stop()` ends it.
        task = Task {
            guard (try? await Task.sleep(for: time)) != nil else { return }
            print(message)
            exit(1)
        }
    }

    func stop() { task.cancel() }
}
