// SPDX-License-Identifier: MIT
import TaskCoordination

extension ImageManager {
    /// Returns when the manager has been shut down, and shuts it down when the calling task is cancelled.
    ///
    /// Loads need no `run()`, which ties the manager's life to a task. It has the shape of the `Service` protocol of
    /// swift-service-lifecycle, on which this package does not depend. A program that depends on it makes the manager a
    /// service:
    ///
    /// ```swift
    /// struct Pictures: Service {
    ///     let manager: ImageManager
    ///     func run() async throws { try await cancelWhenGracefulShutdown { try await manager.run() } }
    /// }
    /// ```
    ///
    /// A `ServiceGroup` ends its services from the last to the first, so services that load pictures, such as the
    /// server, come after this one. The guide <doc:ThumbnailService> has whole programs. A service that reads the
    /// activities may come before it or after it. It ends when the group says so, and not with the manager:
    ///
    /// ```swift
    /// struct PictureLog: Service {
    ///     let manager: ImageManager
    ///     func run() async throws {
    ///         await cancelWhenGracefulShutdown { await manager.followActivities { print($0.kind) } }
    ///     }
    /// }
    /// ```
    ///
    /// `extension ImageManager: @retroactive Service {}` suffices when the program handles graceful shutdown
    /// elsewhere, by a call of ``shutdown(within:)``. `run()` itself follows the group's cancellation, and not its
    /// graceful shutdown.
    ///
    /// Any number of calls may run at once, and they return together. Cancelling one of them ends the manager for all.
    /// After the end, a call returns at once.
    ///
    /// **Cancellation**: running loads and pending writes have ``Configuration/shutdownGrace`` to finish, or the grace
    /// time of an earlier ``shutdown(within:)``. Every call of ``shutdown(within:)``, also a later one, returns the
    /// report.
    ///
    /// - Throws: Nothing, not even when it is cancelled: cancellation is its orderly end. The protocol requires
    ///   `throws`.
    public func run() async throws {
        await pipeline.isEnding.answer { $0 ? true : nil }
        _ = await shutdown(within: configuration.shutdownGrace)
    }
}
