// SPDX-License-Identifier: MIT
import Locks

/// A frame of an animation that is due.
public struct PlayedFrame: Sendable {
    /// The index of the frame, from 0.
    public let index: Int
    /// The loop, from 0.
    public let loop: Int
    /// The frame. Its duration is that of the file, whatever the rate.
    public let frame: DecodedImage.Frame
}

extension AnimationPlayer: AsyncSequence {
    /// A frame, when it is due.
    public typealias Element = PlayedFrame
    /// What making a frame throws.
    public typealias Failure = any Error

    /// Starts to read. The first frame is the one that is due.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// A reader of a player.
    public struct Iterator: AsyncIteratorProtocol {
        private let player: AnimationPlayer
        /// Reads the picture that was shown last.
        private var reader: FrameReader?
        private var shown: Shown?

        init(_ player: AnimationPlayer) { self.player = player }

        /// The next frame, as soon as it is due and made.
        ///
        /// **Cancellation**: throws `CancellationError` at once.
        ///
        /// - Returns: `nil` after the last frame of the last loop.
        /// - Throws: ``ImageError`` for a frame that cannot be made, also when it is asked for again;
        ///   `CancellationError`.
        public mutating func next() async throws -> PlayedFrame? {
            while true {
                try Task.checkCancellation()
                switch player.look(shown) {
                case .end: return nil
                case .show(let position, let seekCount, let image):
                    let frame: DecodedImage.Frame
                    if let buffer = image.frameBuffer {
                        frame = try await reader(of: image, buffer).frame(
                            at: position.frame, following: position.following, backwards: position.runsBackwards)
                    } else {
                        frame = try image.frame(at: position.frame)
                    }
                    shown = Shown(frame: position.frame, loop: position.loop, seekCount: seekCount)
                    return PlayedFrame(index: position.frame, loop: position.loop, frame: frame)
                case .wait(let duration, let change, let id):
                    await player.sleep(duration, until: change)
                    player.state.withLock { $0.sleepers[id] = nil }
                }
            }
        }

        private mutating func reader(of image: DecodedImage, _ buffer: FrameBuffer) -> FrameReader {
            if let reader, reader.source === buffer { return reader }
            let reader = FrameReader(image, buffer, make: player.make)
            self.reader = reader
            return reader
        }
    }
}

extension AnimationPlayer {
    /// What a reader has shown last.
    struct Shown: Hashable {
        let frame: Int
        let loop: Int
        /// The jumps that it knew of.
        let seekCount: Int
    }

    fileprivate enum Look {
        case end
        case show(Playhead.Position, seekCount: Int, DecodedImage)
        /// Nothing is due for a time, or until something changes.
        case wait(Duration?, change: AsyncStream<Void>, id: Int)
    }

    fileprivate func look(_ shown: Shown?) -> Look {
        let ahead = Swift.min(Swift.max(configuration.bufferedFrameCount, 0), 10_000)
        return state.withLock { state in
            state.hasBegun = true
            if !state.isPaused { state.head.run() }
            let position = state.head.look(following: ahead)
            let due = Shown(frame: position.frame, loop: position.loop, seekCount: state.seekCount)
            if shown != due { return .show(position, seekCount: state.seekCount, state.image) }
            if position.hasEnded { return .end }
            state.lastSleeper += 1
            let (change, sleeper) = AsyncStream<Void>.makeStream()
            state.sleepers[state.lastSleeper] = sleeper
            return .wait(position.wait, change: change, id: state.lastSleeper)
        }
    }

    /// Waits for a time, or for the end of a stream, whichever comes first; or for a cancellation.
    fileprivate func sleep(_ duration: Duration?, until change: AsyncStream<Void>) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in change {} }
            if let duration { group.addTask { [clock] in try? await clock.sleep(for: duration) } }
            await group.next()
            group.cancelAll()
        }
    }
}

/// A reader of the frames of one picture.
final class FrameReader: Sendable {
    /// The frames of the picture.
    let source: FrameBuffer
    private let buffer: FrameBuffer
    private let id: Int

    /// - Parameter make: Makes the frames of this reader, which are then not shared; `nil` for those of the picture.
    init(_ image: DecodedImage, _ source: FrameBuffer, make: AnimationPlayer.FrameMaker?) {
        self.source = source
        buffer = make == nil ? source : FrameBuffer(source)
        id = buffer.join { try await make?(image, $0) ?? image.frame(at: $0) }
    }

    func frame(at index: Int, following: [Int], backwards: Bool) async throws -> DecodedImage.Frame {
        try await buffer.frame(at: index, for: id, following: following, backwards: backwards)
    }

    deinit { buffer.leave(id) }
}
