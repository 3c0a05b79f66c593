import Testing
import WebImageTesting

@testable import TaskCoordination

/// Looks into the ledger of each test when the test is over: what its scenarios have set up must be empty.
struct Balanced: SuiteTrait, TestTrait, TestScoping {
    let isRecursive = true

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let ledger = Ledger()
        try await Ledger.$current.withValue(ledger, operation: function)
        let open = ledger.open()
        #expect(open.isEmpty, "left behind", sourceLocation: test.sourceLocation)
    }
}

extension Trait where Self == Balanced {
    /// Nothing is left behind by any test of the suite.
    static var balanced: Self { Balanced() }
}

/// Enters tables and slots into the ledger of the test, with the executor that brings them to rest.
func enter(_ executor: SeededExecutor? = nil, tables: [Flights] = [], slots: Slots? = nil) {
    guard let ledger = Ledger.current else {
        Issue.record("A suite with scenarios is balanced.")
        return
    }
    if let executor { ledger.settle { executor.drain() } }
    for table in tables { ledger.enter("\(table.name): entries") { table.entryCount } }
    if let slots { ledger.enter("slots: entries") { slots.entryCount } }
}
