// SPDX-License-Identifier: MIT
import Locks

/// Frames that are made before their reader needs them: the one it asks for, and a few that follow.
///
/// Serves one reader. One frame is made at a time.
final class FrameBuffer: Sendable {
    fileprivate struct State {
        var image: DecodedImage
        /// The frames to keep, in the order of their making.
        var wanted: [Int] = []
        var made: [Int: Result<DecodedImage.Frame, any Error>] = [:]
        /// Makes frames; `nil` when there is none to make.
        var task: Task<Void, Never>?
        /// The frame that the reader waits for.
        var awaited: (index: Int, arrival: AsyncStream<Void>.Continuation)?
    }

    private enum Look {
        case made(Result<DecodedImage.Frame, any Error>)
        case waiting(AsyncStream<Void>)
    }

    private let make: AnimationPlayer.FrameMaker
    private let state: Mutex<State>

    init(_ image: DecodedImage, make: @escaping AnimationPlayer.FrameMaker) {
        self.make = make
        state = Mutex(State(image: image))
    }

    /// The number of frames in memory.
    var count: Int { state.withLock { $0.made.count } }

    /// Takes a picture with the same frames, and perhaps more.
    func use(_ image: DecodedImage) { state.withLock { $0.image = image } }

    /// A frame, from memory or as soon as it is made. Those that follow are made meanwhile and afterwards.
    ///
    /// - Parameters:
    ///   - index: The index of a frame.
    ///   - following: The frames to make next.
    ///   - backwards: Whether each has a lower index than the one before. They are then made together in the order of
    ///     the file, because a frame may depend on those before it, and only when none is left.
    /// - Throws: What making the frame throws; `CancellationError`, at once.
    func frame(
        at index: Int, following: [Int], backwards: Bool
    ) async throws -> DecodedImage.Frame {
        while true {
            switch look(index, following, backwards) {
            case .made(let result): return try result.get()
            case .waiting(let arrival):
                for await _ in arrival {}
                try Task.checkCancellation()
            }
        }
    }

    private func look(_ index: Int, _ following: [Int], _ backwards: Bool) -> Look {
        state.withLock { state in
            let isMade = state.made[index] != nil
            if !(backwards && isMade) {
                state.wanted = backwards ? following.reversed() + [index] : [index] + following
            }
            let wanted = Set(state.wanted)
            state.made = state.made.filter { wanted.contains($0.key) }
            if state.task == nil, state.missing != nil {
                // Unstructured because frames are made while the reader shows another one; it ends when the buffer is
                // full, and `deinit` cancels it.
                state.task = Task(name: "animation frames") { [weak self, make] in
                    while let (image, index) = self?.next() {
                        let result: Result<DecodedImage.Frame, any Error>
                        do { result = .success(try await make(image, index)) } catch { result = .failure(error) }
                        self?.receive(result, index)
                    }
                }
            }
            if let made = state.made[index] { return .made(made) }
            let (arrival, continuation) = AsyncStream<Void>.makeStream()
            state.awaited = (index, continuation)
            return .waiting(arrival)
        }
    }

    private func next() -> (DecodedImage, Int)? {
        state.withLock { state in
            guard let index = state.missing else {
                state.task = nil
                return nil
            }
            return (state.image, index)
        }
    }

    private func receive(_ result: Result<DecodedImage.Frame, any Error>, _ index: Int) {
        let arrival = state.withLock { state -> AsyncStream<Void>.Continuation? in
            // The reader may have gone elsewhere meanwhile.
            if state.wanted.contains(index) { state.made[index] = result }
            guard let awaited = state.awaited, awaited.index == index else { return nil }
            state.awaited = nil
            return awaited.arrival
        }
        arrival?.finish()
    }

    deinit { state.withLock { $0.task }?.cancel() }
}

extension FrameBuffer.State {
    /// The frame to make next.
    var missing: Int? { wanted.first { made[$0] == nil } }
}
