// SPDX-License-Identifier: MIT
/// Shows the frames of an animation when they are due, while the target is visible.
@MainActor
final class FramePlayer {
    /// The interval between checks of a hidden target that does not report its appearance.
    static let hiddenInterval = Duration.seconds(1)

    private let player: AnimationPlayer
    private let clock: any Clock<Duration>
    private let isVisible: @MainActor () -> Bool
    private let show: @MainActor (PlayedFrame) -> Void
    /// The frame on display.
    private var index = 0
    /// Whether a frame is due and the target hidden.
    private var isWaiting = false
    private var isStopped = false

    /// Reads the frames.
    ///
    /// Unstructured because an animation has no natural end; the player owns it.
    private var task: Task<Void, Never>?

    /// Creates a player that has not started.
    ///
    /// The target already shows the first frame.
    init(
        _ player: AnimationPlayer, clock: any Clock<Duration>, isVisible: @escaping @MainActor () -> Bool,
        show: @escaping @MainActor (PlayedFrame) -> Void
    ) {
        self.player = player
        self.clock = clock
        self.isVisible = isVisible
        self.show = show
    }

    /// Plays, or stands still while the target is hidden.
    func run() {
        if isVisible() { player.resume() } else { player.pause() }
        guard !isStopped, task == nil || isWaiting else { return }
        task?.cancel()
        // Unstructured because a view is not asynchronous; `task` owns it. Immediate, so that the target shows the
        // frame of now when this call returns. An animation without its next frame stands still.
        task = Task.immediate(name: "animation") { [weak self, player, clock] in
            var frames = player.makeAsyncIterator()
            while let due = try? await frames.next() {
                while self?.isHidden() == true {
                    player.pause()
                    guard (try? await clock.sleep(for: FramePlayer.hiddenInterval)) != nil else { return }
                }
                player.resume()
                self?.display(due)
            }
        }
        if isStopped { task?.cancel() }
    }

    /// Ends the animation.
    ///
    /// A target may call it from within `show`.
    func stop() {
        isStopped = true
        task?.cancel()
        task = nil
    }

    private func isHidden() -> Bool {
        isWaiting = !isVisible()
        return isWaiting
    }

    private func display(_ due: PlayedFrame) {
        guard !isStopped, due.index != index else { return }
        index = due.index
        show(due)
    }

    isolated deinit { task?.cancel() }
}
