// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// The loads of a batch that run, and the outcomes that wait to be read.
///
/// The reader may be on any task; loads land from their own. The loads hold the window weakly, so that it is released
/// with its reader and cancels them.
final class BatchWindow<Value: Sendable>: Sendable {
    fileprivate struct State {
        /// The tasks of the loads. An iterator cannot keep children from one call to the next, so the window owns them,
        /// and each lands by itself. `nil` while a task is being made.
        var running: [Int: PacedTask?] = [:]
        /// In the order of the landings.
        var landed: [ImageOutcome<Value>] = []
        /// Resolved by the next landing.
        var reader: OneShot<Void>?
    }

    private let limit: Int
    private let load: @Sendable (ImageRequest) async throws -> Value
    private let executor: (any TaskExecutor)?
    private let state = Mutex(State())

    init<Requests>(_ batch: ImageBatch<Requests, Value>) {
        (limit, load, executor) = (batch.limit, batch.load, batch.executor)
    }

    var hasRoom: Bool { state.withLock { $0.running.count + $0.landed.count < limit } }

    /// The number of loads that run or wait to be read, and of waiting readers. For tests.
    var entryCount: Int { state.withLock { $0.running.count + $0.landed.count + ($0.reader == nil ? 0 : 1) } }

    func begin(_ request: ImageRequest, _ index: Int, _ own: TaskPriority) {
        // The place is taken first, because the load may land before its handle is stored.
        state.withLock { $0.running[index] = .some(nil) }
        let task = PacedTask("batch \(index)", on: executor, priority: own) { [weak self, load] in
            let result: Result<Value, any Error>
            do { result = .success(try await load(request)) } catch { result = .failure(error) }
            self?.land(ImageOutcome(index: index, request: request, result: result))
            return nil
        }
        state.withLock { state in
            if state.running[index] != nil { state.running[index] = task }
        }
    }

    /// Takes the first outcome that has landed, or waits for one.
    ///
    /// - Returns: `nil` when nothing runs or waits any more, and when the calling task is cancelled.
    func outcome() async -> ImageOutcome<Value>? {
        while !Task.isCancelled {
            let landing = OneShot<Void>()
            let (outcome, isOver) = state.withLock { $0.take(orWaitFor: landing) }
            if outcome != nil || isOver { return outcome }
            await withPriorityEscalation(to: escalate) { await landing.wait(onCancel: ()) }
        }
        return nil
    }

    private func land(_ outcome: ImageOutcome<Value>) {
        // The task is released after the lock.
        let (reader, _) = state.withLock { state in
            state.landed.append(outcome)
            return (state.reader.take(), state.running.removeValue(forKey: outcome.index))
        }
        reader?.resolve(())
    }

    private func escalate(to priority: UInt8) {
        let running = state.withLock { Array($0.running.values) }
        for case let task? in running { task.escalate(to: TaskPriority(rawValue: priority)) }
    }
}

extension BatchWindow.State {
    fileprivate mutating func take(orWaitFor landing: OneShot<Void>) -> (outcome: ImageOutcome<Value>?, isOver: Bool) {
        if !landed.isEmpty { return (landed.removeFirst(), false) }
        guard !running.isEmpty else { return (nil, true) }
        reader = landing
        return (nil, false)
    }
}
