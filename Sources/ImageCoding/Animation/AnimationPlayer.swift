// SPDX-License-Identifier: MIT
import Locks

/// Plays an animation without a view: a sequence of frames, each when it is due.
///
/// ```swift
/// let player = AnimationPlayer(animation)
/// for try await shown in player { draw(shown.frame.pixels) }
/// ```
///
/// Time begins when the first frame is asked for. A reader that is late gets the frame for its time; those before are
/// skipped. The sequence ends with the last frame of the last loop, and never if the animation has no last loop.
///
/// Frames are made ahead of the reader, as many as ``Configuration/bufferedFrameCount`` says, so a
/// ``DecodedImage/makesFramesOnDemand`` animation of any length plays in the memory of that many frames. Backwards,
/// such an animation costs more: each full buffer is drawn from the keyframe before it on.
///
/// Several readers may read at once. They share the place in the animation. All players of a picture, and of its
/// copies, share the frames that are made: players in step take the memory and the work of one. Of frames that together
/// take more than 16 MiB, each further place costs one canvas, and its frames are made when they are due.
///
/// **Isolation**: none; everything may be called from anywhere.
public final class AnimationPlayer: Sendable {
    /// Makes a frame. Called for one frame at a time for each reader, mostly in the order of the file.
    public typealias FrameMaker = @concurrent @Sendable (DecodedImage, Int) async throws -> DecodedImage.Frame

    /// How an animation is played.
    public struct Configuration: Sendable {
        /// How fast frames follow each other: 1, the default, as the file says. 0.001 to 1,000; less stands still.
        public var rate = 1.0
        /// The order of the frames. ``FrameOrder/forward`` by default.
        public var order = FrameOrder.forward
        /// How often the animation plays, 0 forever; by default as often as its file says.
        public var loopCount: Int?
        /// The most frames in memory that are due after the one that is shown. 2 by default; 0 makes each when it is
        /// due.
        public var bufferedFrameCount = 2

        /// Creates a configuration with the defaults.
        public init() {}
    }

    struct State {
        var image: DecodedImage
        var head: Playhead
        var isPaused = false
        /// Whether the first frame has been asked for.
        var hasBegun = false
        /// Counts the jumps: after each the frame of now is shown, though it may have been shown before.
        var seekCount = 0
        var sleepers: [Int: AsyncStream<Void>.Continuation] = [:]
        var lastSleeper = 0
    }

    let configuration: Configuration
    let clock: any Clock<Duration>
    let make: FrameMaker?
    let state: Mutex<State>

    /// Creates a player at the first frame.
    ///
    /// - Parameters:
    ///   - image: The animation. A still picture is a sequence of one frame.
    ///   - isComplete: Whether these are all frames. Otherwise the player waits after the last one for
    ///     ``update(_:isComplete:)``.
    ///   - configuration: How it is played.
    ///   - clock: Measures the time; `ContinuousClock` by default.
    ///   - make: Makes a frame on demand, on a thread that may block, for this player alone; frames in memory are taken
    ///     at once. By default ``DecodedImage/frame(at:)`` on the global pool, and the frames are shared.
    public init(
        _ image: DecodedImage, isComplete: Bool = true, configuration: Configuration = Configuration(),
        clock: any Clock<Duration> = ContinuousClock(), make: FrameMaker? = nil
    ) {
        self.configuration = configuration
        self.clock = clock
        self.make = make
        let head = Playhead(
            durations: image.durations, loopCount: configuration.loopCount ?? image.loopCount,
            order: configuration.order, rate: configuration.rate, isComplete: isComplete, clock: clock)
        state = Mutex(State(image: image, head: head))
    }
}

// MARK: - Control

extension AnimationPlayer {
    /// How fast frames follow each other; see ``Configuration/rate``.
    public var rate: Double {
        get { state.withLock { $0.head.rate } }
        set { change { $0.head.setRate(newValue) } }
    }

    /// The order of the frames. A change goes on from the frame that is shown.
    public var order: FrameOrder {
        get { state.withLock { $0.head.order } }
        set { change { $0.head.setOrder(newValue) } }
    }

    /// The frame that is due, and its loop, both from 0.
    public var place: (frame: Int, loop: Int) {
        state.withLock { state in
            let position = state.head.look()
            return (position.frame, position.loop)
        }
    }

    /// Stands still until ``resume()``. A reader waits.
    public func pause() {
        change { state in
            state.isPaused = true
            state.head.pause()
        }
    }

    /// Goes on after ``pause()``, from the same frame.
    public func resume() {
        change { state in
            guard state.isPaused else { return }
            state.isPaused = false
            if state.hasBegun { state.head.run() }
        }
    }

    /// Goes to the beginning of a frame, which is shown at once, also while the player is paused.
    ///
    /// - Parameters:
    ///   - frame: The index of a frame; the nearest one for an index without.
    ///   - loop: The loop, from 0; the nearest one for a number without.
    public func seek(to frame: Int, loop: Int = 0) {
        change { state in
            state.head.seek(to: frame, loop: loop)
            state.seekCount += 1
        }
    }

    /// Takes the frames of a file that still arrives. The place in the animation stays.
    ///
    /// - Parameters:
    ///   - image: The animation with the frames so far. One of another size, or with fewer frames, is ignored.
    ///   - isComplete: Whether these are all frames.
    public func update(_ image: DecodedImage, isComplete: Bool) {
        change { state in
            guard image.size == state.image.size, image.frameCount >= state.image.frameCount else { return }
            state.image = image
            state.head.extend(
                to: image.durations, loopCount: configuration.loopCount ?? image.loopCount, isComplete: isComplete)
        }
    }

    /// Changes the state, and wakes the readers that wait for a time that may be another now.
    private func change(_ body: (inout State) -> Void) {
        let woken = state.withLock { state in
            body(&state)
            defer { state.sleepers = [:] }
            return state.sleepers.values
        }
        for sleeper in woken { sleeper.finish() }
    }
}
