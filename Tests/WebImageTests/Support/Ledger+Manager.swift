import TaskCoordination
import WebImageTesting

@testable import WebImage

/// Checks the ledger of each test at its end: all counters of its scenarios must be zero.
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
    /// No test of the suite leaks.
    static var balanced: Self { Balanced() }
}

/// The ledger of the running test.
var ledger: Ledger? {
    if Ledger.current == nil { Issue.record("A suite with scenarios is balanced.") }
    return Ledger.current
}

extension Ledger {
    /// Enters every table of a manager.
    ///
    /// - Parameter executors: The executors of all the manager's jobs.
    func enter(_ manager: ImageManager, on executors: [SeededExecutor]) {
        settle {
            while executors.contains(where: { $0.pending > 0 }) { for executor in executors { executor.drain() } }
        }
        func enter(_ name: String, _ count: @escaping @Sendable (ImageManager) -> Int) {
            self.enter(name) { count(manager) }
        }
        enter("pictures") { $0.pipeline.pictures.entryCount }
        enter("files") { $0.pipeline.files.entryCount }
        enter("downloader") { $0.downloader.entryCount }
        enter("processing") { $0.pipeline.processing.entryCount }
        enter("addresses under way") { $0.pipeline.cache.order.count }
        enter("watchers") { $0.pipeline.hub.watcherCount }
        enter("calls without an end") { $0.counters.running }
        enter("failures beyond the limit") { manager in
            let (entries, places) = manager.pipeline.failures.counts
            let capacity = manager.configuration.failureCapacity
            return max(0, entries - capacity) + max(0, places - 4 * capacity)
        }
    }
}
