// SPDX-License-Identifier: MIT
/// Lesson 5, progress and late callers: every caller hears how far the flight has come.
enum Lesson5 {
    /// Runs one operation per key, however many callers ask for it.
    ///
    /// **The fault before**: a caller that wants progress captures its handler in the operation. The operation of a
    /// caller that joins is dropped, and the handler with it: only the caller that started the flight hears anything.
    ///
    /// **The mend**: the operation gets a `report` function, and the table tells the callers. One answer is not enough
    /// for a caller any more, so its one-shot becomes a stream of news. The stream keeps the newest two: a slow caller
    /// may miss reports, but never the last one before the landing. A late caller hears the latest report in the step
    /// in which it joins. A task for each report would lose their order on the way to the actor: one loop brings them
    /// there.
    actor Flights<Key: Hashable & Sendable, Value: Sendable, Progress: Sendable> {
        /// The shared work. It calls `report` from one task at a time.
        typealias Operation = @concurrent @Sendable (@escaping @Sendable (Progress) -> Void) async throws -> Value
        typealias Listener = @Sendable (Progress) async -> Void

        private enum News { case progress(Progress), landing(Result<Value, any Error>) }
        private typealias NewsSender = AsyncStream<News>.Continuation

        private struct Flight {
            let id: Int
            let task: Task<Void, Never>
            var callers: [(id: Int, news: NewsSender)] = []
            var latest: News?
        }

        private var flights: [Key: Flight] = [:]
        private var lastID = 0
        private let executor: (any TaskExecutor)?

        init(executor: (any TaskExecutor)? = nil) { self.executor = executor }

        /// Joins the flight for `key`, or starts it, and waits for the landing. `onProgress` runs in the calling task.
        func value(for key: Key, onProgress: Listener? = nil, operation: @escaping Operation) async throws -> Value {
            try Task.checkCancellation()
            let (stream, news) = AsyncStream<News>.makeStream(bufferingPolicy: .bufferingNewest(2))
            let (task, id) = join(key, news, operation)
            return try await withTaskPriorityEscalationHandler {
                task.escalatePriority(to: Task.currentPriority)
                for await news in stream {
                    if case .progress(let progress) = news { await onProgress?(progress) }
                    if case .landing(let landing) = news { return try landing.get() }
                }
                leave(key, id)  // The calling task was cancelled, which has ended its stream.
                throw CancellationError()
            } onPriorityEscalated: { _, new in
                task.escalatePriority(to: new)
            }
        }

        private func join(
            _ key: Key, _ news: NewsSender, _ operation: @escaping Operation
        ) -> (Task<Void, Never>, id: Int) {
            lastID += 1
            var flight = flights[key] ?? start(key, lastID, operation)
            flight.callers.append((lastID, news))
            flights[key] = flight
            if let latest = flight.latest { news.yield(latest) }
            return (flight.task, lastID)
        }

        private func start(_ key: Key, _ id: Int, _ operation: @escaping Operation) -> Flight {
            let (reports, reporter) = AsyncStream<Progress>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let task = Task.detached(executorPreference: executor, priority: Task.currentPriority) {
                async let landing = Result {
                    defer { reporter.finish() }
                    return try await operation { reporter.yield($0) }
                }
                for await progress in reports { await self.tell(key, id, .progress(progress)) }
                await self.tell(key, id, .landing(landing))
            }
            return Flight(id: id, task: task)
        }

        private func leave(_ key: Key, _ id: Int) {
            guard let index = flights[key]?.callers.firstIndex(where: { $0.id == id }) else { return }
            flights[key]?.callers.remove(at: index)
            if flights[key]?.callers.isEmpty == true { flights.removeValue(forKey: key)?.task.cancel() }
        }

        private func tell(_ key: Key, _ id: Int, _ news: News) {
            guard let flight = flights[key], flight.id == id else { return }
            flights[key]?.latest = news
            if case .landing = news { flights[key] = nil }
            for caller in flight.callers { caller.news.yield(news) }
        }
    }
}
