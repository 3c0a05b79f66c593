// SPDX-License-Identifier: MIT
import Locks

/// A dictionary that is spread over parts with a lock each. Every load passes here several times, and loads on
/// different cores should rarely meet.
struct SpreadTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    final class Part: Sendable {
        let entries = Mutex<[Key: Value]>([:])
    }

    private let parts = (0..<16).map { _ in Part() }

    /// The part that holds a key.
    ///
    /// - Parameter hash: The hash of the key, or of something that equal keys have in common.
    func part(of hash: Int) -> Part { parts[Int(UInt(bitPattern: hash) % 16)] }

    /// Changes every value.
    func changeAll(_ change: (inout Value) -> Void) {
        for part in parts { part.entries.withLock { entries in for key in entries.keys { change(&entries[key]!) } } }
    }

    /// The number of entries.
    var count: Int { parts.reduce(0) { $0 + $1.entries.withLock { $0.count } } }
}
