import Testing
import WebImageTesting

@testable import WebImageBinding

/// Checks the ledger of each test at its end: all counters of its scenes must be zero.
struct Balanced: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let ledger = Ledger()
        try await Ledger.$current.withValue(ledger, operation: function)
        let open = await Self.open(ledger)
        #expect(open.isEmpty, "left behind", sourceLocation: test.sourceLocation)
    }

    /// The objects that are left after cancelled tasks have had their turns on the main actor.
    @MainActor private static func open(_ ledger: Ledger) async -> [String] {
        var open = ledger.open()
        for _ in 0..<10_000 where !open.isEmpty {
            await Task.yield()
            open = ledger.open()
        }
        return open
    }
}

extension Trait where Self == Balanced {
    /// No test of the suite leaks.
    static var balanced: Self { Balanced() }
}

/// The ledger of the running test.
var ledger: Ledger? {
    if Ledger.current == nil { Issue.record("A suite with scenes is balanced.") }
    return Ledger.current
}
