// SPDX-License-Identifier: MIT
import Synchronization

/// Counts activities, by one atomic addition each.
///
/// An object of its own, so that counters, which are written all the time, share no cache line with constants.
final class LoadTally: Sendable {
    /// Calls that memory did not answer.
    let began = Atomic(0)
    /// Of these, the calls that ended with a picture or a file.
    let delivered = Atomic(0)
    let cancelled = Atomic(0)
    let failed = Atomic(0)
    let memoryHits = Atomic(0)
    let diskHits = Atomic(0)
    let downloads = Atomic(0)
    let downloadedByteCount = Atomic(0)
    let refreshes = Atomic(0)
    let memoryWaits = Atomic(0)
    let droppedWrites = Atomic(0)

    /// The sums. Ends are read before beginnings, so that no call seems to have ended before it began.
    var counters: LoadCounters {
        var counters = LoadCounters()
        let delivered = delivered.load(ordering: .acquiring)
        counters.cancelled = cancelled.load(ordering: .acquiring)
        counters.failed = failed.load(ordering: .acquiring)
        counters.memoryHits = memoryHits.load(ordering: .relaxed)
        counters.diskHits = diskHits.load(ordering: .relaxed)
        counters.downloadedByteCount = downloadedByteCount.load(ordering: .relaxed)
        counters.refreshes = refreshes.load(ordering: .relaxed)
        counters.memoryWaits = memoryWaits.load(ordering: .relaxed)
        counters.droppedWrites = droppedWrites.load(ordering: .relaxed)
        counters.downloads = downloads.load(ordering: .relaxed)
        counters.finished = delivered + counters.memoryHits
        counters.requests = began.load(ordering: .relaxed) + counters.memoryHits
        return counters
    }
}

extension Atomic<Int> {
    /// Adds with release ordering, for later acquiring reads.
    ///
    /// - Returns: The sum.
    @discardableResult
    func add(_ amount: Int = 1) -> Int { wrappingAdd(amount, ordering: .releasing).newValue }
}

/// Measures how long something took.
///
/// Its layout is known, unlike that of a `ContinuousClock.Instant`, so the layout of an object or a suspended function
/// that holds one is known at compile time. Functions that use instants are not inlined for the same reason.
struct Stopwatch: Sendable {
    private static let origin = ContinuousClock.now

    private let start: Duration

    /// Creates a stopwatch that runs.
    @inline(never) init() { start = Self.origin.duration(to: .now) }

    /// The time since it was made.
    @inline(never) var elapsed: Duration { Self.origin.duration(to: .now) - start }
}
