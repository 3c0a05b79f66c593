import WebImageTesting

@testable import WebImage

/// Writes to a disk that the test can pause.
final class WriteBehindScenario {
    var stage: SeededStage
    let writes: WriteBehind
    var random: SeededGenerator

    init(seed: UInt64, limit: Int = 1_000) throws {
        stage = try SeededStage(seed: seed)
        writes = WriteBehind(disk: stage.cache, executor: stage.executor, limit: limit)
        random = SeededGenerator(seed: seed)
    }

    func start<Value: Sendable>(
        priority: TaskPriority? = nil, _ body: @escaping @concurrent @Sendable (WriteBehind) async throws -> Value
    ) -> Probe<Value> {
        let writes = writes
        return Probe(on: stage.executor, priority: priority) { try await body(writes) }
    }

    /// The result while the disk is paused.
    func look<Value: Sendable>(
        _ body: @escaping @concurrent @Sendable (WriteBehind) async throws -> Value
    ) -> Value? {
        let probe = start(body)
        stage.runWithoutDisk()
        return probe.value
    }

    func stored(_ key: CacheKey) -> [UInt8]? {
        stage.outcome { try await $0.entry(for: key)?.bytes }.value ?? nil
    }
}
