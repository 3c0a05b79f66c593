// SPDX-License-Identifier: MIT
import TaskCoordination

/// Shows the frames of an animation when they are due, while the target is visible.
@MainActor
final class FramePlayer {
    /// The interval between checks of a hidden target that does not report its appearance.
    static let hiddenInterval = Duration.seconds(1)

    private var head: Playhead
    private let clock: any Clock<Duration>
    private let isVisible: @MainActor () -> Bool
    private let show: @MainActor (Int) -> Void
    private var frame = 0
    private var isStopped = false

    /// Waits for the next frame. An animation has no natural end; the player owns it.
    private var task: PacedTask?

    /// Creates a player that has not started.
    ///
    /// The target already shows the first frame.
    init(
        _ head: Playhead, clock: any Clock<Duration>, isVisible: @escaping @MainActor () -> Bool,
        show: @escaping @MainActor (Int) -> Void
    ) {
        self.head = head
        self.clock = clock
        self.isVisible = isVisible
        self.show = show
    }

    /// Plays, or checks again whether the target is visible.
    func run() {
        task?.cancel()
        guard !isStopped, let wait = step(), !isStopped else { return }
        task = PacedTask("animation", clock: clock, after: wait) { @MainActor [weak self] in
            // Cancelled after the pause: another wait has replaced this one.
            Task.isCancelled ? nil : self?.step()
        }
    }

    /// Ends the animation.
    ///
    /// A target may call it from within `show`.
    func stop() {
        isStopped = true
        task = nil
    }

    /// Shows the frame that is due.
    ///
    /// - Returns: The time until the next frame or check; `nil` when the animation has ended.
    private func step() -> Duration? {
        guard isVisible() else {
            head.pause()
            return Self.hiddenInterval
        }
        head.run()
        let position = head.look()
        if position.frame != frame {
            frame = position.frame
            show(frame)
        }
        return position.wait
    }
}

/// Measures the time since its creation on any clock.
struct Stopwatch {
    private let measure: () -> Duration

    init(_ clock: some Clock<Duration>) {
        let start = clock.now
        measure = { start.duration(to: clock.now) }
    }

    var elapsed: Duration { measure() }
}
