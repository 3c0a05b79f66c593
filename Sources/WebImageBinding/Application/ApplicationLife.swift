// SPDX-License-Identifier: MIT
import Dispatch

/// What a manager does when its application is short of memory, leaves the screen, or ends.
///
/// `ApplicationObserver` calls it on Apple platforms.
struct ApplicationLife: Sendable {
    let manager: ImageManager

    /// Gives the pictures in memory back.
    func memoryWarning() async { await manager.trimMemory(toCost: 0) }

    /// Gives nine tenths of them back, writes what waits for the disk, and removes entries that are too old.
    func background() async {
        await manager.trimMemory(toCost: manager.memoryStatistics.cost / 10)
        await manager.flush()
        _ = try? await manager.diskCache?.removeExpired()
    }

    /// Ends the manager. Blocks the thread for at most a second: the system ends the process when this call returns.
    func termination() {
        let end = DispatchSemaphore(value: 0)
        // Unstructured because a notification is not asynchronous; the wait below is bounded. Detached because the
        // main actor is blocked.
        Task.detached { [manager] in
            _ = await manager.shutdown(within: .milliseconds(500))
            end.signal()
        }
        _ = end.wait(timeout: .now() + .seconds(1))
    }
}
