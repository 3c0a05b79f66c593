import Synchronization

/// The books of one test: what its scenarios have set up, each with a counter that must be zero when the test is over.
///
/// A scenario enters its counters when it is made, so no test can forget them. The trait of the suite makes a ledger for
/// each test, and looks into it at the end.
package final class Ledger: Sendable {
    /// That of the test that runs.
    @TaskLocal package static var current: Ledger?

    private struct Books {
        var settlements: [@Sendable () -> Void] = []
        var counters: [(name: String, count: @Sendable () -> Int)] = []
    }

    private let books = Mutex(Books())

    package init() {}

    /// Enters a counter under the name that a failure is told with.
    package func enter(_ name: String, _ count: @escaping @Sendable () -> Int) {
        books.withLock { $0.counters.append((name, count)) }
    }

    /// Enters what is done before the counters are read.
    package func settle(_ settle: @escaping @Sendable () -> Void) {
        books.withLock { $0.settlements.append(settle) }
    }

    /// The counters that are not zero, once everything that can still run has run.
    package func open() -> [String] {
        let books = books.withLock { $0 }
        for settle in books.settlements { settle() }
        return books.counters.map { ($0.name, $0.count()) }.filter { $0.1 != 0 }.map { "\($0.0): \($0.1)" }
    }
}
