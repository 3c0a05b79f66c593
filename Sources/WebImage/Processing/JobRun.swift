// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import TaskCoordination

/// Does a job: in one task at a time, on the thread that it has from its queue.
///
/// What is next is decided by a ``JobTree`` under the lock; the work itself runs outside of it. A step that no
/// output needs any more, or a decode that begins anew, is cancelled with its task, and another task goes on with the
/// rest on the same thread.
final class JobRun: Sendable {
    struct State {
        var tree: JobTree
        /// What it has of the queue; `nil` while it waits for a thread, or for loads that are announced.
        var turn: JobQueue.Turn?
        /// The memory that it has; `nil` before it has asked for any.
        var reserved: Int?
        /// What makes the frames of an animation on demand takes; 0 for frames that are all held.
        var sourceByteCount = 0
        var task: PacedTask?
        /// That of its most urgent caller.
        var priority: TaskPriority = .background
        /// A job of the same original whose decode must end before this one begins.
        var previous: JobRun?
        /// Whether the frames of an animation go one by one into the only file that is made of it. No output may join
        /// then.
        var streams = false
        /// From the header.
        var properties: ImageProperties?
        var generation: ContentGeneration?
        var decodeTook = Duration.zero
        /// Jobs of the same original that wait for the end of the decode.
        var successors: [OneShot<Void>] = []
        /// What a job waits for that has nothing to do until an announced load comes, and the memory of its base.
        var parked: (wake: OneShot<Void>, share: PictureShare)?
    }

    /// Why the work pauses.
    enum Pause {
        case memory(Int)
        case nothingToDo(OneShot<Void>)
    }

    /// The answer for an output that this job cannot make beside its others.
    struct Refusal: Error {}

    let job: PictureJob
    let processor: ImageProcessor
    let table: JobTable
    let identity: RequestIdentity
    let progress = DecodingProgress()
    /// Whether all outputs of the plan only show that the file of an animation is one. No other output joins then.
    let provesOnly = Atomic(false)
    let state: Mutex<State>

    /// - Parameter isFirst: Whether no other job of the original is under way.
    init(
        _ job: PictureJob, _ identity: RequestIdentity, _ processor: ImageProcessor, _ table: JobTable, isFirst: Bool
    ) {
        (self.job, self.identity, self.processor, self.table) = (job, identity, processor, table)
        state = Mutex(State(tree: JobTree(job.first, isFirst: isFirst)))
    }
}

// MARK: - Joining and leaving

extension JobRun {
    /// Adds an output.
    ///
    /// - Returns: `false` when it must have another job.
    func join(_ output: JobOutput, of source: PictureJob.Source) -> Bool {
        guard job.isOf(source), job.first.request.decodesAlike(output.request) else { return false }
        let (hasJoined, task, wake) = state.withLock { state -> (Bool, PacedTask?, OneShot<Void>?) in
            if state.streams || provesOnly.load(ordering: .acquiring) && !output.isProof { return (false, nil, nil) }
            let isDecoding = state.tree.isDecoding
            switch state.tree.join(output, isHalfDone: { progress.isHalfDone }) {
            case .refused: return (false, nil, nil)
            case .restarted: return (true, isDecoding ? state.task : nil, nil)
            case .joined: break
            }
            guard let turn = state.turn, let reserved = state.reserved else { return (true, nil, state.parked?.wake) }
            // The work that runs has its memory; a newcomer may only use what is free.
            let peak = peak(of: state.tree, state.properties).saturatingAdd(state.sourceByteCount)
            guard peak > reserved else { return (true, nil, nil) }
            guard turn.grow(by: peak - reserved) else {
                state.tree.remove([output])
                return (false, nil, nil)
            }
            state.reserved = peak
            return (true, nil, nil)
        }
        task?.cancel()
        wake?.resolve(())
        return hasJoined
    }

    /// Takes an output out whose caller has gone. It learns whether the file is a picture.
    func leave(_ output: JobOutput) {
        let isPicture = state.withLock { $0.tree.isDecoded && !$0.streams }
        let cancelled = CancellationError()
        guard output.answer.resolve(isPicture ? .success(product(.failure(cancelled))) : .failure(cancelled)) else {
            return
        }
        let (leaving, task) = state.withLock { ($0.tree.leave(output), $0.task) }
        guard leaving != .nothing else { return }
        task?.cancel()
        if leaving == .endsJob { close() }
    }

    /// A load that was announced will not come.
    func forget(_ wish: ObjectIdentifier) {
        let wake = state.withLock { $0.tree.forget(wish) ? $0.parked?.wake : nil }
        wake?.resolve(())
    }

    /// Moves the job forward, and the one that it waits for.
    func raise(to priority: TaskPriority) {
        let (task, previous) = state.withLock { state in
            state.priority = max(state.priority, priority)
            return (state.task, state.previous)
        }
        task?.escalate(to: priority)
        previous?.raise(to: priority)
    }

    /// Waits until the decode has ended, and those before it.
    private func decodeEnd() async {
        await state.withLock { $0.previous }?.decodeEnd()
        let end = OneShot<Void>()
        let isOver = state.withLock { state in
            if state.tree.isClosed || state.tree.isDecoded { return true }
            state.successors.append(end)
            return false
        }
        if !isOver { await end.wait() }
    }

    /// Refuses later outputs, and lets the next job of the original begin.
    private func close() {
        noteDecoded()
        table.remove(self, identity)
    }

    func noteDecoded() {
        let successors = state.withLock { state in
            defer { state.successors = [] }
            return state.successors
        }
        successors.resume()
    }

    func answer(_ outputs: [JobOutput], _ result: Result<JobProduct, any Error>) {
        for output in outputs { output.answer.resolve(result) }
    }
}

// MARK: - The task

extension JobRun {
    /// Starts the task.
    ///
    /// - Parameter previous: A job of the same original, whose decode must have ended: there is one at a time.
    func start(after previous: JobRun? = nil) {
        let priority = Task.currentPriority
        state.withLock { ($0.previous, $0.priority) = (previous, max($0.priority, priority)) }
        previous?.raise(to: priority)
        let task = PacedTask("picture job", on: table.executor) {
            await self.run()
            return nil
        }
        let (isClosed, urgency) = state.withLock { state in
            state.task = task
            return (state.tree.isClosed, state.priority)
        }
        if urgency > priority { task.escalate(to: urgency) }
        if isClosed { task.cancel() }
    }

    private func run() async {
        await state.withLock { $0.previous }?.decodeEnd()
        state.withLock { $0.previous = nil }
        do {
            while let pause = try await stretch() {
                switch pause {
                case .memory(let byteCount): try await waitForMemory(byteCount)
                case .nothingToDo(let wake): await wake.wait()
                }
            }
            end(nil)
        } catch {
            let goesOn = Task.isCancelled && state.withLock { !$0.tree.isClosed }
            if goesOn { start() } else { end(error) }
        }
    }

    /// Works on a thread until a pause.
    private func stretch() async throws -> Pause? {
        let (held, isClosed) = state.withLock { ($0.turn, $0.tree.isClosed) }
        if isClosed { return nil }
        if let held { return try await processor.pool.run { try self.work(held) } }
        let turn = try await processor.queue.turn()
        state.withLock { ($0.turn, $0.reserved) = (turn, nil) }
        return try await processor.pool.run { try self.work(turn) }
    }

    private func waitForMemory(_ byteCount: Int) async throws {
        guard let turn = state.withLock({ $0.turn.take() }) else { return }
        processor.noteWait(byteCount, job.first.request)
        try await turn.wait(for: byteCount)
        state.withLock { ($0.turn, $0.reserved) = (turn, byteCount) }
    }

    /// Gives back what the job has. Outputs that are left get the error.
    func end(_ error: (any Error)?) {
        let (turn, outputs, parked) = state.withLock { ($0.turn.take(), $0.tree.close(), $0.parked.take()) }
        close()
        answer(outputs, .failure(error ?? CancellationError()))
        turn?.end()
        withExtendedLifetime(parked) {}
    }
}
