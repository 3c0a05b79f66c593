import TaskCoordination

extension ImageManager {
    /// Lasts as long as the manager: returns when it has been shut down, and shuts it down when the calling task is
    /// cancelled.
    ///
    /// Loads need no `run()`; it ties the manager's life to a task. It has the shape of the `Service` protocol of
    /// swift-service-lifecycle, which this package does not depend on. A program that does makes it a service:
    ///
    /// ```swift
    /// struct Pictures: Service {
    ///     let manager: ImageManager
    ///     func run() async throws { try await cancelWhenGracefulShutdown { try await manager.run() } }
    /// }
    /// ```
    ///
    /// A `ServiceGroup` ends its services from the last to the first, so those that load pictures come after this one.
    /// `extension ImageManager: @retroactive Service {}` does where graceful shutdown is handled elsewhere, by a call of
    /// ``shutdown(within:)``: the group's cancellation is heard in either case, its graceful shutdown is not.
    ///
    /// Any number of calls may run at once, and return together; one that is cancelled ends the manager for all. After
    /// the end, it returns at once.
    ///
    /// **Cancellation**: running loads and pending writes have ``Configuration/shutdownGrace`` to finish, or what a
    /// ``shutdown(within:)`` before it has given them. What was dropped is reported to whoever calls
    /// ``shutdown(within:)``, also afterwards.
    ///
    /// - Throws: Nothing, not even when it is cancelled: that is its orderly end. `throws` is the protocol's.
    public func run() async throws {
        if case .open = life {
            let place = OneShot<Void>()
            runners.append(place)
            await place.wait(onCancel: ())
        }
        _ = await shutdown(within: configuration.shutdownGrace)
    }
}
