// SPDX-License-Identifier: MIT
import WebImageTesting

@testable import WebImage

/// Writes to a disk that the test can pause.
final class WriteBehindScenario {
    var stage: SeededStage
    let writes: WriteBehind
    var random: SeededGenerator

    /// - Parameter room: Empty writes that may wait.
    init(
        seed: UInt64, room: Int = 1_000, onDrop: @escaping @Sendable (CacheKey) -> Void = { _ in },
        onWarning: @escaping @Sendable (CacheError) -> Void = { _ in }
    ) throws {
        stage = try SeededStage(seed: seed)
        writes = WriteBehind(
            stage.cache, executor: stage.executor, byteLimit: room * 1_024, onDrop: onDrop, onWarning: onWarning)
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
