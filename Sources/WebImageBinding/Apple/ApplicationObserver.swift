// SPDX-License-Identifier: MIT
#if (canImport(UIKit) && !os(watchOS)) || canImport(AppKit)
public import Foundation

#if canImport(UIKit)
import UIKit
#else
import AppKit
#endif

/// Tells a manager, and the bindings of the views, what the system tells the application.
///
/// | notification | what the manager does | what bindings do |
/// |---|---|---|
/// | resigns | nothing | animations stand still |
/// | active | nothing | animations go on |
/// | memory warning | gives the pictures in memory back | hidden views give theirs back |
/// | background | gives nine tenths of them back, writes what waits, removes what is too old | as on a warning |
/// | foreground | nothing | loads again what was given back |
/// | termination | ends, in at most a second, with its writes on the disk | nothing |
///
/// On macOS, an application that is hidden resigns, and one that is shown again is active. Its termination is reported,
/// and nothing else: nothing suspends an application there.
///
/// Kept by the application, as long as it uses the manager:
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
    ///
    /// - Parameters:
    ///   - manager: Loads the pictures.
    ///   - stage: That of the bindings. ``ApplicationStage/shared`` by default.
    ///   - center: Posts the notifications.
    public init(_ manager: ImageManager, stage: ApplicationStage = .shared, center: NotificationCenter = .default) {
        self.center = center
        let life = ApplicationLife(manager: manager)
        #if canImport(UIKit)
        let source = SystemTime()
        stage.backgroundTime = source
        observe(UIApplication.willResignActiveNotification) { stage.resignActive() }
        observe(UIApplication.didBecomeActiveNotification) { stage.becomeActive() }
        observe(UIApplication.willEnterForegroundNotification) { stage.enterForeground() }
        observe(UIApplication.didReceiveMemoryWarningNotification) {
            stage.releasePictures()
            await life.memoryWarning()
        }
        observe(UIApplication.didEnterBackgroundNotification) {
            let time = BackgroundTime("pictures", source)
            stage.releasePictures()
            await life.background()
            time.end()
        }
        observe(UIApplication.willTerminateNotification) { life.termination() }
        #else
        observe(NSApplication.didHideNotification) { stage.resignActive() }
        observe(NSApplication.didUnhideNotification) { stage.becomeActive() }
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
@available(iOSApplicationExtension, unavailable)
private struct SystemTime: BackgroundTiming {
    var timeRemaining: Duration? {
        let seconds = UIApplication.shared.backgroundTimeRemaining
        // Near the largest number while the application is on the screen.
        return seconds < 1_000_000 ? .seconds(seconds) : nil
    }

    func begin(_ name: String, onEnd: @escaping @MainActor @Sendable () -> Void) -> Int? {
        let task = UIApplication.shared.beginBackgroundTask(withName: name, expirationHandler: onEnd)
        return task == .invalid ? nil : task.rawValue
    }

    func end(_ number: Int) { UIApplication.shared.endBackgroundTask(UIBackgroundTaskIdentifier(rawValue: number)) }
}
#endif
#endif
