// SPDX-License-Identifier: MIT
package import Testing

/// Looks into the ledger of each test when the test is over: what its scenarios have set up must be empty.
///
/// A failure under a seed tells how to replay it.
package struct Balanced: SuiteTrait, TestTrait, TestScoping {
    package let isRecursive = true
    /// How many turns cancelled tasks on the main actor have to unwind in.
    let mainActorTurns: Int

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let turns = mainActorTurns
        try await Replay().provideScope(for: test, testCase: testCase) {
            let ledger = Ledger()
            try await Ledger.$current.withValue(ledger, operation: function)
            var open = ledger.open()
            for _ in 0..<turns where !open.isEmpty { open = await Self.openAfterTurn(ledger) }
            for line in open { Issue.record("left behind: \(line)", sourceLocation: test.sourceLocation) }
        }
    }

    @MainActor private static func openAfterTurn(_ ledger: Ledger) async -> [String] {
        await Task.yield()
        return ledger.open()
    }
}

extension Trait where Self == Balanced {
    /// No test of the suite leaves anything behind.
    package static var balanced: Self { Balanced(mainActorTurns: 0) }

    /// No test of the suite leaves anything behind, once cancelled tasks have had their turns on the main actor.
    package static var balancedOnMainActor: Self { Balanced(mainActorTurns: 10_000) }
}

/// The ledger of the test that runs.
package var ledger: Ledger? {
    if Ledger.current == nil { Issue.record("A suite with scenarios is balanced.") }
    return Ledger.current
}
