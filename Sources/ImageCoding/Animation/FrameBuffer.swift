// SPDX-License-Identifier: MIT
import Locks

/// The frames of an animation that all its readers share: those that they show, and a few that follow.
///
/// Every copy of a picture has the same buffer. A frame that several readers want is made once, and kept as long as one
/// of them wants it.
final class FrameBuffer: FrameSource {
    /// The bytes of frames up to which each reader gets all that follow, wherever the others are.
    fileprivate static let ahead = 16 << 20

    fileprivate struct Reader {
        /// The frames to keep, in the order of their making.
        var wanted: [Int] = []
        /// The frame that the reader waits for.
        var awaited: (index: Int, arrival: AsyncStream<Void>.Continuation)?
        /// Makes frames; `nil` when there is none to make.
        var task: Task<Void, Never>?
        /// The frame that the task makes.
        var making: Int?
        /// Counts the tasks that were stopped.
        var turn = 0
    }

    fileprivate struct State {
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        var made: [Int: Result<DecodedImage.Frame, any Error>] = [:]
        /// The frames that tasks make, also tasks of readers that have left.
        var making: Set<Int> = []
        /// The bytes of the frames as they were counted last.
        var byteCount = 0
    }

    private enum Look {
        case made(Result<DecodedImage.Frame, any Error>)
        case waiting(AsyncStream<Void>)
    }

    private let base: any FrameSource
    private let memory: AnimationMemory
    private let state = Mutex(State())

    /// Creates a buffer without frames and readers.
    init(_ base: any FrameSource, memory: AnimationMemory = .shared) { (self.base, self.memory) = (base, memory) }

    var durations: [Duration] { base.durations }
    var endsAtDamage: Bool { base.endsAtDamage }
    var byteCount: Int { base.byteCount.saturatingAdd(state.withLock { $0.byteCount }) }

    /// The number of frames in memory.
    var count: Int { state.withLock { $0.made.count } }

    func pixels(at index: Int) throws -> [UInt8] {
        if case .success(let frame) = state.withLock({ $0.made[index] }) { return frame.pixels }
        return try base.pixels(at: index)
    }

    /// Forgets the frames; a reader that wants one gets it made again.
    func releaseMemory() {
        state.withLock { state in
            state.made = [:]
            state.count(memory)
        }
        base.releaseMemory()
    }

    func join() -> Int {
        memory.join(self)
        return state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader()
            return state.lastReader
        }
    }

    func leave(_ id: Int) {
        let (task, isLast) = state.withLock { state in
            let task = state.stopped(id)
            state.readers[id] = nil
            state.forget(memory)
            return (task, state.readers.isEmpty)
        }
        task?.cancel()
        // Another buffer has readers of its own.
        if isLast, !(base is FrameBuffer) { base.releaseMemory() }
    }

    /// A frame, from memory or as soon as it is made. Those that follow are made meanwhile and afterwards.
    ///
    /// - Parameters:
    ///   - index: The index of a frame.
    ///   - id: The reader.
    ///   - following: The frames to make next.
    ///   - backwards: Whether each has a lower index than the one before. They are then made together in the order of
    ///     the file, because a frame may depend on those before it, and only when none is left.
    ///   - make: Makes a frame.
    /// - Throws: What making the frame throws; `CancellationError`, at once.
    func frame(
        at index: Int, for id: Int, following: [Int], backwards: Bool,
        make: @escaping @concurrent @Sendable (Int) async throws -> DecodedImage.Frame
    ) async throws -> DecodedImage.Frame {
        while true {
            switch look(index, id, following, backwards, make) {
            case .made(let result): return try result.get()
            case .waiting(let arrival):
                for await _ in arrival {}
                try Task.checkCancellation()
            }
        }
    }

    private func look(
        _ index: Int, _ id: Int, _ following: [Int], _ backwards: Bool,
        _ make: @escaping @concurrent @Sendable (Int) async throws -> DecodedImage.Frame
    ) -> Look {
        let following = memory.hasRoom ? following : []
        let (look, stopped) = state.withLock { state -> (Look, Task<Void, Never>?) in
            if !(backwards && state.made[index] != nil) {
                state.readers[id]?.wanted = backwards ? following.reversed() + [index] : [index] + following
            }
            // What is made on the way to a later frame is needed for it.
            var stopped: Task<Void, Never>?
            if let reader = state.readers[id], let making = reader.making, making > index,
                !reader.wanted.contains(making)
            {
                stopped = state.stopped(id)
            }
            state.forget(memory)
            let look: Look
            if let made = state.made[index] {
                state.readers[id]?.awaited = nil
                look = .made(made)
            } else {
                let (arrival, continuation) = AsyncStream<Void>.makeStream()
                state.readers[id]?.awaited = (index, continuation)
                look = .waiting(arrival)
            }
            if state.readers[id]?.task == nil, state.missing(id) != nil {
                // Unstructured because frames are made while the reader shows another one; it ends when the reader has
                // its frames, and is cancelled when it leaves.
                let turn = state.readers[id]?.turn
                state.readers[id]?.task = Task(name: "animation frames") { [weak self] in
                    while let index = self?.next(id, turn) {
                        let result: Result<DecodedImage.Frame, any Error>
                        do { result = .success(try await make(index)) } catch { result = .failure(error) }
                        self?.receive(result, index, id, turn)
                    }
                }
            }
            return (look, stopped)
        }
        stopped?.cancel()
        return look
    }

    private func next(_ id: Int, _ turn: Int?) -> Int? {
        state.withLock { state in
            // A task that was stopped is no longer the reader's.
            guard state.readers[id]?.turn == turn else { return nil }
            guard let index = state.missing(id) else {
                state.readers[id]?.task = nil
                return nil
            }
            state.making.insert(index)
            state.readers[id]?.making = index
            return index
        }
    }

    private func receive(_ result: Result<DecodedImage.Frame, any Error>, _ index: Int, _ id: Int, _ turn: Int?) {
        var wasStopped = false
        if case .failure(let error) = result { wasStopped = error is CancellationError && Task.isCancelled }
        let arrivals = state.withLock { [wasStopped] state in
            state.making.remove(index)
            if state.readers[id]?.turn == turn { state.readers[id]?.making = nil }
            // The readers may have gone elsewhere meanwhile.
            if !wasStopped { state.made[index] = result }
            state.forget(memory)
            return state.arrivals()
        }
        for arrival in arrivals { arrival.finish() }
    }

    deinit {
        memory.leave(self)
        memory.note(-state.withLock { $0.byteCount })
    }
}

extension FrameBuffer.State {
    /// The frame that a reader's task makes next.
    ///
    /// None while another task makes one of the reader's frames: those after it are drawn over it. A frame that is not
    /// waited for has to fit beside those of the readers at other places.
    func missing(_ id: Int) -> Int? {
        guard let reader = readers[id], making.isDisjoint(with: reader.wanted) else { return nil }
        let count = made.count + making.count
        let bytes = byteCount / max(made.count, 1) * (count + 1)
        guard reader.awaited != nil || count < reader.wanted.count || bytes <= FrameBuffer.ahead else { return nil }
        return reader.wanted.first { made[$0] == nil }
    }

    /// Forgets the frames that no reader wants.
    mutating func forget(_ memory: AnimationMemory) {
        let wanted = readers.values.reduce(into: Set<Int>()) { $0.formUnion($1.wanted) }
        made = made.filter { wanted.contains($0.key) }
        count(memory)
    }

    /// Counts the bytes of the frames.
    mutating func count(_ memory: AnimationMemory) {
        let bytes = made.values.reduce(0) { $0 + ((try? $1.get().pixels.count) ?? 0) }
        memory.note(bytes - byteCount)
        byteCount = bytes
    }

    /// Takes a task from its reader, unless it makes a frame that another reader wants: that one it finishes.
    ///
    /// - Returns: What is to be cancelled.
    mutating func stopped(_ id: Int) -> Task<Void, Never>? {
        let making = readers[id]?.making
        if let making, readers.contains(where: { $0.key != id && $0.value.wanted.contains(making) }) { return nil }
        guard let reader = readers[id] else { return nil }
        readers[id] = FrameBuffer.Reader(wanted: reader.wanted, awaited: reader.awaited, turn: reader.turn + 1)
        return reader.task
    }

    /// Takes the waits of the readers whose frame is there, or whose task has to go on.
    mutating func arrivals() -> [AsyncStream<Void>.Continuation] {
        var arrivals = [AsyncStream<Void>.Continuation]()
        for (id, reader) in readers {
            guard let awaited = reader.awaited, made[awaited.index] != nil || reader.task == nil else { continue }
            arrivals.append(awaited.arrival)
            readers[id]?.awaited = nil
        }
        return arrivals
    }
}

/// A reader of the frames of one picture.
final class FrameReader: Sendable {
    /// The frames of the picture.
    let source: FrameBuffer
    private let image: DecodedImage
    private let buffer: FrameBuffer
    private let make: AnimationPlayer.FrameMaker?
    private let id: Int

    /// - Parameter make: Makes the frames of this reader, which are then not shared; `nil` for those of the picture.
    init(_ image: DecodedImage, _ source: FrameBuffer, make: AnimationPlayer.FrameMaker?) {
        (self.image, self.source, self.make) = (image, source, make)
        buffer = make == nil ? source : FrameBuffer(source)
        id = buffer.join()
    }

    func frame(at index: Int, following: [Int], backwards: Bool) async throws -> DecodedImage.Frame {
        try await buffer.frame(at: index, for: id, following: following, backwards: backwards) { [image, make] index in
            if let make { return try await make(image, index) }
            return try image.frame(at: index)
        }
    }

    deinit { buffer.leave(id) }
}
