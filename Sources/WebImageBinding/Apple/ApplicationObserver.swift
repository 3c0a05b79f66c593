// SPDX-License-Identifier: MIT
#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
import Dispatch
public import Foundation
public import WebImage

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// Tells a manager what the system tells the application.
///
/// | notification | what the manager does |
/// |---|---|
/// | memory warning | gives the pictures in memory back |
/// | background | gives nine tenths of them back, writes what waits for the disk, and removes entries that are too old |
/// | foreground | nothing: a load brings back what it needs |
/// | termination | ends, in at most a second, so that the index of the disk cache is saved |
///
/// On macOS, the termination alone. Kept by the application, as long as it uses the manager:
///
/// ```swift
/// let manager = ImageManager()
/// SharedLoader.loader = manager
/// observer = ApplicationObserver(manager)
/// ```
@MainActor
@available(iOSApplicationExtension, unavailable)
public final class ApplicationObserver {
    private let manager: ImageManager
    private let center: NotificationCenter
    private var observations: [any NSObjectProtocol] = []

    /// Creates an observer and begins to observe.
    public init(_ manager: ImageManager, center: NotificationCenter = .default) {
        self.manager = manager
        self.center = center
        #if canImport(UIKit)
        observe(UIApplication.didReceiveMemoryWarningNotification) { $0.giveMemoryBack() }
        observe(UIApplication.didEnterBackgroundNotification) { $0.enterBackground() }
        observe(UIApplication.willTerminateNotification) { $0.terminate() }
        #else
        observe(NSApplication.willTerminateNotification) { $0.terminate() }
        #endif
    }

    isolated deinit {
        for observation in observations { center.removeObserver(observation) }
    }

    /// The system posts these notifications on the main thread.
    private func observe(
        _ name: Notification.Name, _ act: @escaping @MainActor @Sendable (ApplicationObserver) -> Void
    ) {
        observations.append(
            center.addObserver(forName: name, object: nil, queue: nil) { [weak self] _ in
                MainActor.assumeIsolated { self.map(act) }
            })
    }

    #if canImport(UIKit)
    private func giveMemoryBack() {
        // Unstructured because a notification is not asynchronous; it ends by itself.
        Task { [manager] in await manager.trimMemory(toCost: 0) }
    }

    private func enterBackground() {
        let time = BackgroundTime()
        // Unstructured because a notification is not asynchronous; it ends by itself.
        Task { [manager] in
            await manager.trimMemory(toCost: manager.memoryStatistics.cost / 10)
            await manager.flush()
            _ = try? await manager.diskCache?.removeExpired()
            time.end()
        }
    }
    #endif

    /// Blocks the main thread: the system ends the process when this call returns.
    private func terminate() {
        let end = DispatchSemaphore(value: 0)
        // Unstructured because a notification is not asynchronous; the wait below is bounded. Detached because this
        // actor is blocked.
        Task.detached { [manager] in
            _ = await manager.shutdown(within: .milliseconds(500))
            end.signal()
        }
        _ = end.wait(timeout: .now() + .seconds(1))
    }
}

#if canImport(UIKit)
/// Time that the system grants in the background; otherwise it suspends the application at once.
@MainActor
@available(iOSApplicationExtension, unavailable)
private final class BackgroundTime {
    private var task = UIBackgroundTaskIdentifier.invalid

    init() {
        task = UIApplication.shared.beginBackgroundTask(withName: "pictures") { [weak self] in self?.end() }
    }

    func end() {
        guard task != .invalid else { return }
        UIApplication.shared.endBackgroundTask(task)
        task = .invalid
    }
}
#endif
#endif
