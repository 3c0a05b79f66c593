// SPDX-License-Identifier: MIT
import Locks

/// The frames of an animation that all its readers share: those that they show, and a few that follow.
///
/// Every copy of a picture has the same buffer. A frame that several readers want is made once, and kept as long as one
/// of them wants it. Readers at one place get the frames that follow; for each further place the source has a canvas,
/// and the buffer has no frame but on its way to the reader.
final class FrameBuffer: FrameSource {
    /// The bytes of frames up to which readers at all places get those that follow.
    fileprivate static let ahead = 16 << 20

    typealias Maker = @concurrent @Sendable (Int) async throws -> DecodedImage.Frame
    fileprivate typealias Made = Result<DecodedImage.Frame, any Error>

    fileprivate struct Reader {
        let make: Maker
        /// The frames to keep, in the order of their making.
        var wanted: [Int] = []
        /// The frame that the reader has.
        var shown: Int?
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
        var made: [Int: Made] = [:]
        /// The frames that tasks make, also tasks of readers that have left.
        var making: Set<Int> = []
        /// The bytes of the frames as they were counted last.
        var byteCount = 0
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

    /// Adds a reader.
    ///
    /// - Parameter make: Makes a frame.
    func join(_ make: @escaping Maker) -> Int {
        memory.join(self)
        return state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(make: make)
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
        if isLast { letGo() }
    }

    /// Gives back what the source holds for readers. Another buffer has readers of its own.
    private func letGo() {
        if !(base is FrameBuffer) { base.releaseMemory() }
    }

    /// A frame, from memory or as soon as it is made. Those that follow are made meanwhile and afterwards.
    ///
    /// - Parameters:
    ///   - index: The index of a frame.
    ///   - id: The reader.
    ///   - following: The frames to make next.
    ///   - backwards: Whether each has a lower index than the one before. They are then made together in the order of
    ///     the file, because a frame may depend on those before it, and only when none is left.
    /// - Throws: What making the frame throws; `CancellationError`, at once.
    func frame(
        at index: Int, for id: Int, following: [Int], backwards: Bool
    ) async throws -> DecodedImage.Frame {
        while true {
            let (arrivals, arrival) = AsyncStream<Void>.makeStream()
            if let made = look(index, id, following, backwards, arrival) { return try made.get() }
            for await _ in arrivals {}
            try Task.checkCancellation()
        }
    }

    /// - Returns: The frame; `nil` when the reader has to wait for the arrival.
    private func look(
        _ index: Int, _ id: Int, _ following: [Int], _ backwards: Bool, _ arrival: AsyncStream<Void>.Continuation
    ) -> Made? {
        let following = memory.hasRoom ? following : []
        let (made, stopped) = state.withLock { state -> (Made?, Task<Void, Never>?) in
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
            let made = state.made[index]
            state.readers[id]?.shown = made == nil ? nil : index
            state.readers[id]?.awaited = made == nil ? (index, arrival) : nil
            if made != nil { state.handOver(index, to: id, memory) }
            // Another reader may have room now.
            for id in state.readers.keys { start(id, &state) }
            return (made, stopped)
        }
        stopped?.cancel()
        return made
    }

    /// Makes the frames of a reader that wants some, unless it has a task already.
    ///
    /// Unstructured because frames are made while the reader shows another one; the task ends when the reader has its
    /// frames, and is cancelled when it leaves.
    private func start(_ id: Int, _ state: inout sending State) {
        guard let reader = state.readers[id], reader.task == nil, state.missing(id) != nil,
            reader.awaited != nil || memory.hasRoom
        else { return }
        let (make, turn) = (reader.make, reader.turn)
        state.readers[id]?.task = Task(name: "animation frames") { [weak self] in
            while let index = self?.next(id, turn) {
                let result: Made
                do { result = .success(try await make(index)) } catch { result = .failure(error) }
                self?.receive(result, index, id, turn)
            }
        }
    }

    private func next(_ id: Int, _ turn: Int) -> Int? {
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

    private func receive(_ result: Made, _ index: Int, _ id: Int, _ turn: Int) {
        var wasStopped = false
        if case .failure(let error) = result { wasStopped = error is CancellationError && Task.isCancelled }
        let (arrivals, isUnread) = state.withLock { [wasStopped] state in
            state.making.remove(index)
            if state.readers[id]?.turn == turn { state.readers[id]?.making = nil }
            // The readers may have gone elsewhere meanwhile.
            if !wasStopped { state.made[index] = result }
            state.forget(memory)
            return (state.arrivals(), state.readers.isEmpty)
        }
        for arrival in arrivals { arrival.finish() }
        // The canvas of the last frame came back after the last reader had left.
        if isUnread { letGo() }
    }

    deinit {
        memory.leave(self)
        memory.note(-state.withLock { $0.byteCount })
    }
}

extension FrameBuffer.State {
    /// The frame that a reader's task makes next.
    ///
    /// None while another task makes one of the reader's frames: those after it are drawn over it; and none while two
    /// frames are made, each on a copy of its canvas.
    func missing(_ id: Int) -> Int? {
        guard let reader = readers[id], making.count < 2, making.isDisjoint(with: reader.wanted),
            reader.awaited != nil || hasRoom(for: reader)
        else { return nil }
        return reader.wanted.first { made[$0] == nil && $0 != reader.shown }
    }

    /// Whether a frame of a reader is made that it does not wait for: at the place of the oldest reader as many as one
    /// wants, at the others as long as all are small.
    private func hasRoom(for reader: FrameBuffer.Reader) -> Bool {
        let count = made.count + making.count
        if byteCount / max(made.count, 1) * (count + 1) <= FrameBuffer.ahead { return true }
        let oldest = readers.min { $0.key < $1.key }?.value.wanted ?? []
        return count < reader.wanted.count && oldest.contains(where: reader.wanted.contains)
    }

    /// Forgets a frame that a reader gets, if the reader has no room for those that follow: the canvas of its place
    /// still shows it.
    mutating func handOver(_ index: Int, to id: Int, _ memory: AnimationMemory) {
        guard let reader = readers[id], !hasRoom(for: reader),
            reader.wanted.allSatisfy({ $0 == index || made[$0] == nil })
        else { return }
        readers[id]?.wanted.removeAll { $0 == index }
        forget(memory)
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
        let task = readers[id]?.task.take()
        readers[id]?.making = nil
        readers[id]?.turn += 1
        return task
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
