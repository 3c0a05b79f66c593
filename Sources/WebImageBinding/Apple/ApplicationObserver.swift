// SPDX-License-Identifier: MIT
#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
public import Foundation

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
/// | background | gives nine tenths of them back, writes what waits for the disk, and removes entries that are too old
/// |
/// | foreground | nothing: a load brings back what it needs |
/// | termination | ends, in at most a second, with its writes on the disk |
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
    private let center: NotificationCenter
    private var observations: [any NSObjectProtocol] = []

    /// Creates an observer and begins to observe.
    public init(_ manager: ImageManager, center: NotificationCenter = .default) {
        self.center = center
        let life = ApplicationLife(manager: manager)
        #if canImport(UIKit)
        observe(UIApplication.didReceiveMemoryWarningNotification) { await life.memoryWarning() }
        observe(UIApplication.didEnterBackgroundNotification) {
            let time = BackgroundTime()
            await life.background()
            time.end()
        }
        observe(UIApplication.willTerminateNotification) { life.termination() }
        #else
        observe(NSApplication.willTerminateNotification) { life.termination() }
        #endif
    }

    isolated deinit {
        for observation in observations { center.removeObserver(observation) }
    }

    /// The system posts these notifications on the main thread.
    private func observe(_ name: Notification.Name, _ act: @escaping @MainActor @Sendable () async -> Void) {
        let observation = center.addObserver(forName: name, object: nil, queue: nil) { _ in
            // Unstructured because a notification is not asynchronous; it ends by itself. Immediate, because the
            // system counts what happens before the notification returns.
            MainActor.assumeIsolated { _ = Task.immediate { await act() } }
        }
        observations.append(observation)
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
