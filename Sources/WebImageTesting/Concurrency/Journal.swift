// SPDX-License-Identifier: MIT
import Locks

/// A list of events in order, written by any task and read by the test.
public final class Journal<Entry: Sendable>: Sendable {
    private let lines = Mutex<[Entry]>([])

    /// Creates an empty journal.
    public init() {}

    /// Appends an entry.
    public func write(_ entry: Entry) { lines.withLock { $0.append(entry) } }

    /// Everything written so far.
    public var entries: [Entry] { lines.withLock { $0 } }

    /// The number of entries.
    public var count: Int { lines.withLock { $0.count } }
}

extension Journal where Entry: Equatable {
    /// The number of equal entries.
    public func count(of entry: Entry) -> Int { entries.count { $0 == entry } }
}
