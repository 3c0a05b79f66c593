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
        /// The number of its last call.
        var call = 0

        /// Whether a frame is of use. One that is made on the way to a later one is.
        func needs(_ frame: Int) -> Bool { wanted.contains(frame) || frame <= awaited?.index ?? shown ?? -1 }
    }

    fileprivate struct Making {
        let task: Task<Void, Never>
        /// The reader that it is made for; `nil` once it is cancelled.
        var reader: Int?
    }

    fileprivate struct State {
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        var lastCall = 0
        var made: [Int: Made] = [:]
        /// The frames that are made now, also those of cancelled tasks.
        var making: [Int: Making] = [:]
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
        let stopped = state.withLock { state in
            state.readers[id] = nil
            state.forget(memory)
            return state.stopped(by: id)
        }
        for task in stopped { task.cancel() }
        letGo()
    }

    /// Gives back what the source holds for readers, unless there are some.
    fileprivate func letGo() {
        if state.withLock({ $0.readers.isEmpty }) { base.releaseUnread() }
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
        let (made, stopped) = state.withLock { state -> (Made?, [Task<Void, Never>]) in
            if !(backwards && state.made[index] != nil) {
                state.readers[id]?.wanted = backwards ? following.reversed() + [index] : [index] + following
            }
            state.forget(memory)
            let made = state.made[index]
            state.lastCall += 1
            state.readers[id]?.call = state.lastCall
            state.readers[id]?.shown = made == nil ? nil : index
            state.readers[id]?.awaited = made == nil ? (index, arrival) : nil
            let stopped = state.stopped(by: id)
            if made != nil { state.handOver(index, to: id, memory) }
            start(&state)
            return (made, stopped)
        }
        for task in stopped { task.cancel() }
        return made
    }

    /// Makes frames that readers want, as far as there are places.
    ///
    /// Unstructured because frames are made while the reader shows another one; a task ends with its frame, and is
    /// cancelled when no reader wants it.
    private func start(_ state: inout sending State) {
        while let (index, id) = state.next(memory), let make = state.readers[id]?.make {
            // Keeps the buffer until then, so that what the last frame leaves is given back, too.
            let task = Task(name: "animation frame") {
                let result: Made
                do { result = .success(try await make(index)) } catch { result = .failure(error) }
                self.receive(result, index)
            }
            state.making[index] = Making(task: task, reader: id)
        }
    }

    private func receive(_ result: Made, _ index: Int) {
        var wasStopped = false
        if case .failure = result { wasStopped = Task.isCancelled }
        let arrivals = state.withLock { [wasStopped] state in
            state.making[index] = nil
            // The readers may have gone elsewhere meanwhile.
            if !wasStopped { state.made[index] = result }
            state.forget(memory)
            let arrivals = state.arrivals()
            start(&state)
            return arrivals
        }
        for arrival in arrivals { arrival.finish() }
        // The canvas of the last frame came back after the last reader had left.
        letGo()
    }

    deinit {
        memory.leave(self)
        memory.note(-state.withLock { $0.byteCount })
    }
}

extension FrameSource {
    /// Gives memory back, but for that of a buffer whose readers need it: it is told by them, and of scarce memory.
    func releaseUnread() {
        if let buffer = self as? FrameBuffer { buffer.letGo() } else { releaseMemory() }
    }
}

extension FrameBuffer.State {
    /// The frame to make next, and its reader; none while two frames are made, each on a copy of its canvas.
    ///
    /// Readers that wait for a frame come first, the one that has waited the longest before the others.
    func next(_ memory: AnimationMemory) -> (index: Int, reader: Int)? {
        guard making.count < 2 else { return nil }
        let waiting = readers.filter { $0.value.awaited.map { making[$0.index] == nil } ?? false }
        let candidates = waiting.isEmpty ? readers : waiting
        for (id, reader) in candidates.sorted(by: { $0.value.call < $1.value.call }) {
            if let index = missing(reader, id, memory) { return (index, id) }
        }
        return nil
    }

    /// The frame that is made next for a reader.
    ///
    /// None while one is made for it, or one that it wants: those after it are drawn over it.
    private func missing(_ reader: FrameBuffer.Reader, _ id: Int, _ memory: AnimationMemory) -> Int? {
        guard !making.contains(where: { $0.value.reader == id || reader.wanted.contains($0.key) }),
            reader.awaited != nil || memory.hasRoom && hasRoom(for: reader)
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

    /// Takes the frames that a reader no longer needs, or left: another one that wants such a frame has it from now on.
    ///
    /// - Returns: The tasks of the frames that no reader wants, to be cancelled.
    mutating func stopped(by id: Int) -> [Task<Void, Never>] {
        var stopped = [Task<Void, Never>]()
        for (index, frame) in making where frame.reader == id && readers[id]?.needs(index) != true {
            let next = readers.first { $0.value.wanted.contains(index) }?.key
            making[index]?.reader = next
            if next == nil { stopped.append(frame.task) }
        }
        return stopped
    }

    /// Takes the waits of the readers whose frame is there.
    mutating func arrivals() -> [AsyncStream<Void>.Continuation] {
        var arrivals = [AsyncStream<Void>.Continuation]()
        for (id, reader) in readers {
            guard let awaited = reader.awaited, made[awaited.index] != nil else { continue }
            arrivals.append(awaited.arrival)
            readers[id]?.awaited = nil
        }
        return arrivals
    }
}
