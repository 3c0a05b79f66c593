// SPDX-License-Identifier: MIT
import TaskCoordination

/// What is to be written for one key: an entry, a change of the stored one, or both in this order.
struct PendingWrite: Sendable {
    /// Makes the entry when the write begins; `nil` when there is nothing to write.
    typealias Making = @concurrent @Sendable () async throws -> DiskEntry?

    /// A change of what is known about an entry; see ``CacheStoring/renew(_:ifContentIs:_:)``.
    struct Renewal: Sendable {
        var generation: ContentGeneration?
        var change: @Sendable (inout EntryMetadata) -> Void
    }

    /// A write keeps a task and its place in some tables.
    private static let overhead = 1024

    var making: Making?
    var renewal: Renewal?
    /// The memory that it keeps, in bytes.
    var byteCount: Int
    /// The period in which it was submitted; see ``WritePeriods``.
    var period: Int

    init(making: Making? = nil, renewal: Renewal? = nil, for key: CacheKey, byteCount: Int, period: Int) {
        let (sum, overflow) = max(0, byteCount).addingReportingOverflow(Self.overhead + HeapSize.of(key.rawValue))
        self.making = making
        self.renewal = renewal
        self.byteCount = overflow ? .max : sum
        self.period = period
    }

    /// This write, after an earlier one of the same key that has not begun.
    ///
    /// An entry replaces what was to be written before. A change follows the entry, and replaces an earlier change.
    func merged(into earlier: PendingWrite) -> PendingWrite {
        var both = self
        both.period = earlier.period
        guard making == nil, let making = earlier.making else { return both }
        both.making = making
        both.byteCount = max(earlier.byteCount, byteCount)
        return both
    }

    /// Writes to `store`.
    ///
    /// - Returns: Whether nothing was refused. A change of an entry that is no longer stored is not refused.
    /// - Throws: What the making throws, and `CancellationError`.
    @concurrent func run(on store: any CacheStoring, for key: CacheKey) async throws -> Bool {
        if let entry = try await making?() {
            guard try await store.store(entry, for: key).isStored else { return false }
        }
        guard let renewal else { return true }
        let outcome = try await store.renew(key, ifContentIs: renewal.generation, renewal.change)
        return outcome?.isStored ?? true
    }
}

/// Counts writes by period, so that a wait for the writes submitted so far is not extended by later ones.
///
/// A wait ends its period: later writes belong to the next one. So there are at most as many periods as waits.
struct WritePeriods {
    /// The period of a write that is submitted now.
    private(set) var current = 0
    /// The unfinished writes of each period that has any.
    private var counts: [Int: Int] = [:]

    /// The number of periods that have unfinished writes.
    var count: Int { counts.count }

    mutating func begin() { counts[current, default: 0] += 1 }

    /// Notes that a write of this period is finished.
    mutating func end(_ period: Int) {
        guard let count = counts[period] else { return }
        counts[period] = count > 1 ? count - 1 : nil
    }

    /// Ends the current period.
    ///
    /// - Returns: It; `nil` when there is nothing to wait for.
    mutating func close() -> Int? {
        guard !counts.isEmpty else { return nil }
        defer { current += 1 }
        return current
    }

    /// Whether every write of this period and of those before is finished.
    func isOver(_ period: Int) -> Bool { counts.keys.allSatisfy { $0 > period } }
}
