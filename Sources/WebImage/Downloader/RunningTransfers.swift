import Synchronization

/// The transfers that run, and how far each had come when it was last looked at.
final class RunningTransfers: Sendable {
    private struct Entry {
        let transfer: Transfer
        /// `nil` until the first look.
        var receivedCount: Int?
    }

    /// Fewer bytes than this between two looks, which are a second apart, are no progress.
    private static let leastProgress = 1_024

    private let entries = Mutex<[Int: Entry]>([:])

    var count: Int { entries.withLock { $0.count } }

    /// How many run of each host.
    var hosts: [String: Int] {
        entries.withLock { $0.values.reduce(into: [:]) { $0[$1.transfer.lane, default: 0] += 1 } }
    }

    func insert(_ transfer: Transfer, number: Int) {
        entries.withLock { $0[number] = Entry(transfer: transfer) }
    }

    func remove(number: Int) {
        entries.withLock { $0[number] = nil }
    }

    /// How many transfers of each host have made no progress since the last look.
    func stalled() -> [String: Int] {
        entries.withLock { entries in
            var stalled: [String: Int] = [:]
            for (number, entry) in entries {
                let now = entry.transfer.receivedCount.load(ordering: .relaxed)
                if let before = entry.receivedCount, now - before < Self.leastProgress {
                    stalled[entry.transfer.lane, default: 0] += 1
                }
                entries[number]?.receivedCount = now
            }
            return stalled
        }
    }
}
