// SPDX-License-Identifier: MIT
import Dispatch
import TaskCoordination

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
        // A notification is not asynchronous, and its thread is blocked meanwhile.
        let task = PacedTask("end of the application") { [manager] in
            _ = await manager.shutdown(within: .milliseconds(500))
            end.signal()
            return nil
        }
        withExtendedLifetime(task) { _ = end.wait(timeout: .now() + .seconds(1)) }
    }
}
