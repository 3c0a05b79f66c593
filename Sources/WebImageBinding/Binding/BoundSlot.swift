// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination

/// The state of one slot of a binding.
@MainActor
final class BoundSlot {
    let state = SlotState()
    var load: BoundLoad?
    var indicator: IndicatorDriver?
    /// The picture on display, when it came from a load.
    private(set) var shown: (identity: PictureIdentity, url: URL, picture: BoundPicture)?
    private(set) var player: FramePlayer?

    /// Calls the end of a transition whose load has ended.
    ///
    /// Owned by the slot; a new load or a cancel drops it.
    var transition: PacedTask?

    func display(_ picture: BoundPicture, of request: ImageRequest) {
        contentChanges()
        shown = (PictureIdentity(request), request.url, picture)
    }

    func play(_ player: FramePlayer) {
        self.player = player
        player.run()
    }

    /// Forgets the picture on display, because another one, or none, is about to replace it.
    func contentChanges() {
        player?.stop()
        player = nil
        shown = nil
        dropTransition()
    }

    func dropTransition() {
        transition?.cancel()
        transition = nil
    }

    isolated deinit {
        transition?.cancel()
        load?.close(.cancelled)
    }
}
