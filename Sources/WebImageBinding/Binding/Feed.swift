// SPDX-License-Identifier: MIT
/// One subscription to the loader, and the task that reads it.
///
/// Usually a load has one. It has two while its priority changes, see ``ImageBinding/targetVisibilityChanged()``.
@MainActor
final class Feed {
    let priority: ImagePriority

    /// The load that gets the pictures.
    ///
    /// Another load of the same picture in the same slot may take it over.
    weak var load: BoundLoad?

    /// Reads the events.
    ///
    /// Unstructured because the call that starts a load returns before it ends; the load owns it, its end cancels it,
    /// and ``BoundLoad/outcome`` awaits its result.
    var task: Task<Void, Never>?

    init(priority: ImagePriority, load: BoundLoad) {
        self.priority = priority
        self.load = load
    }

    func stop() {
        load = nil
        task?.cancel()
    }
}
