// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import WebImageBinding

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct EndSignalTests {
    @Test
    func `a cancelled wait, also one that has not begun, leaves nothing behind and disturbs no other`() async throws {
        // A cancelled wait leaves nothing behind, and disturbs no other.
        let signal = EndSignal<Int>()
        let waiters = (0..<20).map { _ in Task { try await signal.wait() } }
        await until { signal.waiterCount == 20 }
        for waiter in waiters.dropLast() {
            waiter.cancel()
            await expectError(CancellationError.self) { try await waiter.value }
        }
        expectEqual(signal.waiterCount, 1)
        signal.resolve(7)
        signal.resolve(8)
        try await expectAll(waiters[19].value == 7, signal.waiterCount == 0)
        try await expectEqual(signal.wait(), 7)

        // A wait that is cancelled before it begins leaves nothing behind.
        do {
            let signal = EndSignal<Int>()
            let waiter = Task { try await signal.wait() }
            waiter.cancel()
            await expectError(CancellationError.self) { try await waiter.value }
            expectEqual(signal.waiterCount, 0)
        }
    }
}
