// SPDX-License-Identifier: MIT
extension ImageBinding {
    /// Whether there is a target. Without one, what it would have seen ends.
    func hasTarget() -> Bool {
        if target == nil { targetHasGone() }
        return target != nil
    }

    /// Ends everything that the target would have seen.
    func targetHasGone() {
        cancelAll()
        for bound in slots.values { bound.contentChanges() }
    }

    /// Whether animations play.
    var isPlaying: Bool { hasTarget() && application.isActive && target?.visibility == .visible }

    /// Stops or plays the animations.
    func applicationChanged() {
        for bound in slots.values { bound.player?.run() }
    }

    /// Empties the slots of a hidden target, so that the memory of their pictures is free.
    func releasePictures() {
        guard hasTarget(), let target, target.visibility == .hidden else { return }
        for (slot, bound) in slots where bound.release() { target.show(nil, in: slot, transition: nil) }
    }

    /// Loads the pictures that were given back, and again those that have failed to come since.
    func loadReleased() {
        for (slot, bound) in slots where bound.load == nil {
            if let (request, options) = bound.released { start(request, into: slot, options) }
        }
    }

    /// Asks for time in the background for a load that is about to need the loader.
    func askForBackgroundTime(_ load: BoundLoad) {
        guard load.options.continuesInBackground, load.backgroundTime == nil, let time = application.backgroundTime
        else { return }
        let granted = BackgroundTime("picture", time) { [weak self, weak load] in
            if let load { self?.backgroundTimeIsOver(for: load) }
        }
        // The time may be over within the call.
        if !load.hasEnded { load.backgroundTime = granted }
    }

    /// Cancels a load, and loads its picture again when the application returns.
    private func backgroundTimeIsOver(for load: BoundLoad) {
        if isBound(load), let request = load.request {
            slots[load.slot]?.released = (request, load.options.forLoadingAgain)
        }
        load.cancel()
    }
}
