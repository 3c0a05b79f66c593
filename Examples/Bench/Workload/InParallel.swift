// SPDX-License-Identifier: MIT
/// Runs `body` `count` times in `width` tasks, each of which does its share.
func inParallel(_ width: Int, count: Int, _ body: @escaping @Sendable () async throws -> Void) async throws {
    try await withThrowingTaskGroup { group in
        for place in 0..<min(width, count) {
            group.addTask {
                for _ in stride(from: place, to: count, by: width) { try await body() }
            }
        }
        try await group.waitForAll()
    }
}
