// SPDX-License-Identifier: MIT
import Locks

/// The counters of one test, entered by its scenarios. Each must be zero at the end of the test.
///
/// A scenario enters its counters when it is made, so no test can forget them. The trait of the suite makes a ledger
/// for each test and checks it at the end.
package final class Ledger: Sendable {
    /// The ledger of the running test.
    @TaskLocal package static var current: Ledger?

    private struct Books {
        var settlements: [@Sendable () -> Void] = []
        var counters: [(name: String, count: @Sendable () -> Int)] = []
    }

    private let books = Mutex(Books())

    package init() {}

    /// Enters a counter under the name that a failure shows.
    package func enter(_ name: String, _ count: @escaping @Sendable () -> Int) {
        books.withLock { $0.counters.append((name, count)) }
    }

    /// Enters a function to run before the counters are read.
    package func settle(_ settle: @escaping @Sendable () -> Void) {
        books.withLock { $0.settlements.append(settle) }
    }

    /// The counters that are not zero, after all remaining jobs have run.
    package func open() -> [String] {
        let books = books.withLock { $0 }
        for settle in books.settlements { settle() }
        return books.counters.map { ($0.name, $0.count()) }.filter { $0.1 != 0 }.map { "\($0.0): \($0.1)" }
    }
}
