/// Shows the frames of an animation when they are due, as long as somebody can see them.
@MainActor
final class FramePlayer {
    /// How often a hidden target is looked at again when nobody says that it appeared.
    static let hiddenInterval = Duration.seconds(1)

    private let schedule: FrameSchedule
    private let clock: any Clock<Duration>
    private let isVisible: @MainActor () -> Bool
    private let show: @MainActor (Int) -> Void
    private var played = Duration.zero
    /// Since when the animation runs that `played` does not count yet; nil while it is paused.
    private var running: Stopwatch?
    private var frame = 0
    private var isStopped = false

    /// Waits for the next frame.
    ///
    /// Unstructured because an animation has no natural end; the player owns it.
    private var task: Task<Void, Never>?

    /// Creates a player that has not started.
    ///
    /// The first frame is taken to be shown.
    init(
        _ schedule: FrameSchedule, clock: any Clock<Duration>, isVisible: @escaping @MainActor () -> Bool,
        show: @escaping @MainActor (Int) -> Void
    ) {
        self.schedule = schedule
        self.clock = clock
        self.isVisible = isVisible
        self.show = show
    }

    /// Plays, or looks again whether the target can be seen.
    func run() {
        task?.cancel()
        guard !isStopped, let wait = step(), !isStopped else { return }
        // Unstructured because a view is not asynchronous; `task` owns it.
        task = Task(name: "animation") { [weak self, clock] in
            var wait = wait
            while true {
                try? await clock.sleep(for: wait)
                // Cancelled after the sleep was over: another wait has taken this one's place.
                guard !Task.isCancelled, let next = self?.step() else { return }
                wait = next
            }
        }
    }

    /// Ends the animation for good.
    ///
    /// A target may cause it from within `show`.
    func stop() {
        isStopped = true
        task?.cancel()
        task = nil
    }

    /// Shows what is due.
    ///
    /// - Returns: Until there is something to do; nil when the animation is over.
    private func step() -> Duration? {
        if let running { played += running.elapsed }
        guard isVisible() else {
            running = nil
            return Self.hiddenInterval
        }
        running = Stopwatch(clock)
        let position = schedule.position(at: played)
        if position.frame != frame {
            frame = position.frame
            show(frame)
        }
        return position.remaining
    }

    isolated deinit { task?.cancel() }
}
