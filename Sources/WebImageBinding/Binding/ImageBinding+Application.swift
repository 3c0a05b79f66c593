// SPDX-License-Identifier: MIT
extension ImageBinding {
    /// Ends everything that the target would have seen.
    func targetHasGone() {
        cancelAll()
        for bound in slots.values {
            bound.contentChanges()
            bound.released = nil
        }
    }

    /// Stops or plays the animations.
    func applicationChanged() {
        for bound in slots.values { bound.player?.run() }
    }

    /// Empties the slots of a hidden target, so that the memory of their pictures is free.
    func releasePictures() {
        guard let target, target.visibility == .hidden else { return }
        for (slot, bound) in slots where bound.release() { target.show(nil, in: slot, transition: nil) }
    }

    /// Loads the pictures that were given back.
    func loadReleased() {
        for (slot, bound) in slots {
            if let (request, options) = bound.released { load(request, into: slot, options: options) }
        }
    }

    /// Asks for time in the background for a load that is about to need the loader.
    func askForBackgroundTime(_ load: BoundLoad) {
        guard load.options.continuesInBackground, load.backgroundTime == nil, let time = application.backgroundTime
        else { return }
        load.backgroundTime = BackgroundTime("picture", time) { [weak load] in load?.cancel() }
    }
}
