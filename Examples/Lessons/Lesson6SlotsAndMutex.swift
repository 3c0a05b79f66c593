// SPDX-License-Identifier: MIT
import Locks
import TaskCoordination

/// Lesson 6, slots, and what a mutex buys: a few operations run at once, and no step waits for a turn on an actor.
enum Lesson6 {
    /// **The fault before**: a hundred keys are a hundred operations at once. **The mend**: an operation begins when it
    /// has a slot. A queued flight moves forward when it is escalated, and leaves the queue when it is cancelled.
    /// **The exchange**: a lock stands where the actor stood. To join, to leave and to tell are synchronous steps,
    /// which fit into handlers: when `cancel()` of the last caller returns, the flight has been cancelled. A report
    /// reaches its callers without a loop. Under the lock, no task is resumed, cancelled or escalated.
    final class Flights<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable>: Sendable {
        typealias Operation = @concurrent @Sendable (@escaping @Sendable (Progress) -> Void) async throws -> Value
        typealias Listener = @Sendable (Progress) async -> Void
        private enum News { case progress(Progress), landing(Result<Value, any Error>) }
        private typealias NewsSender = AsyncStream<News>.Continuation
        private struct Flight {
            let id: Int
            var task: Task<Void, Never>?  // Comes a moment after the first caller, and then rises to the priority.
            var priority = TaskPriority.background
            var callers: [(id: Int, news: NewsSender)] = []
            var latest: News?
            var isOver: Bool { if case .landing = latest { true } else { callers.isEmpty } }
        }
        private let state = Mutex((flights: [Key: Flight](), lastID: 0))
        private let executor: (any TaskExecutor)?
        private let slots: Slots
        init(executor: (any TaskExecutor)? = nil, slots: Slots) { (self.executor, self.slots) = (executor, slots) }

        func value(for key: Key, onProgress: Listener? = nil, operation: @escaping Operation) async throws -> Value {
            try Task.checkCancellation()
            let (stream, news) = AsyncStream<News>.makeStream(bufferingPolicy: .bufferingNewest(2))
            let (flight, id) = join(key, news)
            if flight == id { start(key, flight, operation) }
            news.onTermination = { if case .cancelled = $0 { self.leave(key, flight, id) } }
            return try await withTaskPriorityEscalationHandler {
                rise(key, flight, to: Task.currentPriority)
                for await news in stream {
                    if case .progress(let progress) = news { await onProgress?(progress) }
                    if case .landing(let landing) = news { return try landing.get() }
                }
                throw CancellationError()
            } onPriorityEscalated: { _, new in
                self.rise(key, flight, to: new)
            }
        }

        private func join(_ key: Key, _ news: NewsSender) -> (flight: Int, id: Int) {
            state.withLock { state in
                state.lastID += 1  // A flight has the number of the caller that starts it.
                let flight = state.flights[key] ?? Flight(id: state.lastID)
                if let latest = flight.latest { news.yield(latest) }  // Resumes no task: the stream has no reader yet.
                state.flights[key, default: flight].callers.append((state.lastID, news))
                return (flight.id, state.lastID)
            }
        }

        private func start(_ key: Key, _ flight: Int, _ operation: @escaping Operation) {
            let task = Task.detached(executorPreference: executor, priority: Task.currentPriority) { [self] in
                let report: @Sendable (Progress) -> Void = { self.tell(key, flight, .progress($0)) }
                tell(key, flight, .landing(await Result { try await slots.withSlot { try await operation(report) } }))
            }
            _ = change(key, flight) { $0.task = task }
        }

        /// Changes a flight that can be joined. One that is over then is off the table in the same step.
        private func change(_ key: Key, _ flight: Int, _ body: (inout Flight) -> Void) -> Flight? {
            state.withLock { state in
                guard var changed = state.flights[key], changed.id == flight else { return nil }
                body(&changed)
                state.flights[key] = changed.isOver ? nil : changed
                return changed
            }
        }

        private func leave(_ key: Key, _ flight: Int, _ id: Int) {
            let left = change(key, flight) { $0.callers.removeAll { $0.id == id } }
            if let left, left.isOver { left.task?.cancel() }
        }

        private func rise(_ key: Key, _ flight: Int, to priority: TaskPriority) {
            let risen = change(key, flight) { $0.priority = max($0.priority, priority) }
            if let risen { risen.task?.escalatePriority(to: risen.priority) }
        }

        private func tell(_ key: Key, _ flight: Int, _ news: News) {
            change(key, flight) { $0.latest = news }?.callers.forEach { $0.news.yield(news) }
        }
    }
}
