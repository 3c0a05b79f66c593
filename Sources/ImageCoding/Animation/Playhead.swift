// SPDX-License-Identifier: MIT
/// The place of an animation on a clock: the play time so far, at a rate, in an order.
///
/// A value without a task: whatever shows the frames asks it, and waits as long as it says.
struct Playhead: Sendable {
    /// What is to be shown now.
    struct Position: Sendable, Hashable {
        /// The frame.
        var frame: Int
        /// The loop, from 0.
        var loop: Int
        /// The time on the clock until the next frame; `nil` when there is none as long as nothing changes.
        var wait: Duration?
        /// Whether the animation has ended.
        var hasEnded: Bool
        /// The frames that follow, as many as were asked for.
        var following: [Int]
        /// Whether the frame before this one in the file is shown next.
        var runsBackwards: Bool
    }

    /// The fastest playing, as a factor.
    private static let maximumRate = 1_000.0
    /// Half of what a schedule can count.
    private static let longest = Duration.seconds(4_000_000_000)

    private let clock: any Clock<Duration>
    private var durations: [Duration]
    private var schedule: FrameSchedule
    private var loopCount: Int
    private var isComplete: Bool
    private var played = Duration.zero
    /// Measures the time on the clock since the last look; `nil` while the animation stands still.
    private var running: (@Sendable () -> Duration)?

    /// How fast frames follow each other: 1 as the file says, 2 twice as fast, 0 not at all.
    private(set) var rate: Double

    /// Creates a playhead at the first frame of its order, which stands still.
    ///
    /// - Parameters:
    ///   - durations: How long each frame is shown.
    ///   - loopCount: How often the animation plays, 0 forever.
    ///   - isComplete: Whether these are all frames; otherwise the animation waits after the last one.
    init(
        durations: [Duration], loopCount: Int, order: FrameOrder, rate: Double, isComplete: Bool = true,
        clock: any Clock<Duration>
    ) {
        self.clock = clock
        self.durations = durations
        self.loopCount = loopCount
        self.isComplete = isComplete
        self.rate = Playhead.clamped(rate)
        schedule = FrameSchedule(durations: durations, loopCount: isComplete ? loopCount : 1, order: order)
    }

    var order: FrameOrder { schedule.order }

    /// Starts, or goes on after a pause.
    mutating func run() {
        if running == nil { running = Playhead.lap(on: clock) }
    }

    /// Stands still.
    mutating func pause() {
        advance()
        running = nil
    }

    /// Looks at the clock.
    ///
    /// - Parameter count: The number of frames to name that follow.
    mutating func look(following count: Int = 0) -> Position {
        advance()
        let now = schedule.position(at: played)
        let isMoving = running != nil && rate > 0
        return Position(
            frame: now.frame, loop: now.loop, wait: isMoving ? now.remaining.map { $0 / rate } : nil,
            hasEnded: now.remaining == nil && isComplete, following: schedule.frames(after: now, count: count),
            runsBackwards: order.runsBackwards(after: now.step, frames: schedule.frameCount))
    }

    mutating func setRate(_ rate: Double) {
        advance()
        self.rate = Playhead.clamped(rate)
    }

    /// Goes on from the frame of now in another order, in the same loop.
    mutating func setOrder(_ order: FrameOrder) {
        advance()
        let now = schedule.position(at: played)
        schedule = FrameSchedule(durations: durations, loopCount: isComplete ? loopCount : 1, order: order)
        played = schedule.start(of: now.frame, loop: now.loop)
    }

    /// Goes to the beginning of a frame; numbers beyond the end are those of the end.
    mutating func seek(to frame: Int, loop: Int) {
        advance()
        played = min(schedule.start(of: frame, loop: loop), Playhead.longest)
    }

    /// Takes the frames that a file has by now.
    mutating func extend(to durations: [Duration], loopCount: Int, isComplete: Bool) {
        advance()
        // Until the last frame is known, frames are shown in the file's order.
        let now = schedule.position(at: played)
        self.durations = durations
        self.loopCount = loopCount
        self.isComplete = isComplete
        schedule = FrameSchedule(durations: durations, loopCount: isComplete ? loopCount : 1, order: order)
        if order != .forward { played = schedule.start(of: now.frame, loop: now.loop) }
    }

    private mutating func advance() {
        guard let running else { return }
        self.running = Playhead.lap(on: clock)
        // Bounded, so that no product overflows.
        played = min(played + min(running(), .seconds(1_000_000_000)) * rate, Playhead.longest)
        if !isComplete { played = min(played, schedule.length) }
    }

    private static func lap(on clock: some Clock<Duration>) -> @Sendable () -> Duration {
        let start = clock.now
        return { max(start.duration(to: clock.now), .zero) }
    }

    /// What is too slow to divide by stands still.
    private static func clamped(_ rate: Double) -> Double { rate >= 0.001 ? min(rate, maximumRate) : 0 }
}
