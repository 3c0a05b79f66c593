// SPDX-License-Identifier: MIT
import TaskCoordination

/// Remembers for a short time which loads cannot succeed, so that a page full of dead links does not repeat them.
///
/// Bounded in number and in time: at most `capacity` entries, each for at most its own lifetime. When it is full the
/// oldest entry makes room. Every operation is O(1) amortised.
struct FailureMemory<Key: Hashable, Instant: InstantProtocol> where Instant.Duration == Duration {
    private struct Entry {
        let error: ImageLoadError
        let expiry: Instant
        let serial: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var order = HeadQueue<(key: Key, serial: UInt64)>()
    private var serial: UInt64 = 0
    private let capacity: Int

    /// - Parameter capacity: The largest number of failures that are remembered. Negative values count as zero.
    init(capacity: Int) { self.capacity = min(max(0, capacity), Int(Int32.max)) }

    var count: Int { entries.count }

    /// The number of places in the order, including those of forgotten failures. For tests.
    var placeCount: Int { order.placeCount }

    mutating func record(_ error: ImageLoadError, for key: Key, until expiry: Instant) {
        serial += 1
        entries[key] = Entry(error: error, expiry: expiry, serial: serial)
        order.append((key, serial))
        while entries.count > capacity || order.count > 2 * capacity { dropOldest() }
    }

    /// The error recorded for `key`, unless it has expired.
    mutating func failure(for key: Key, now: @autoclosure () -> Instant) -> ImageLoadError? {
        guard !entries.isEmpty else { return nil }
        let now = now()
        dropExpired(by: now)
        return entries[key].flatMap { $0.expiry > now ? $0.error : nil }
    }

    mutating func forget(_ key: Key) { entries[key] = nil }

    mutating func forgetAll() {
        entries.removeAll()
        order = HeadQueue()
    }

    /// Drops the expired entries of all keys, so that any look-up some time after the last failure empties the memory.
    private mutating func dropExpired(by now: Instant) {
        while let (key, serial) = order.first {
            if let entry = entries[key], entry.serial == serial, entry.expiry > now { return }
            dropOldest()
        }
        forgetAll()
    }

    /// An entry that was recorded again or forgotten leaves a place in `order` with an outdated serial.
    private mutating func dropOldest() {
        guard let (key, serial) = order.popFirst() else { return }
        if entries[key]?.serial == serial { entries[key] = nil }
    }
}
