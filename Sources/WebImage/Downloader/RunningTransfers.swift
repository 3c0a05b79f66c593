// SPDX-License-Identifier: MIT
import Locks

/// The transfers that run, and the byte count of each at the last look.
final class RunningTransfers: Sendable {
    private struct Entry {
        let transfer: Transfer
        /// `nil` until the first look.
        var receivedCount: Int?
    }

    private struct Table {
        /// By place; places are reused.
        var entries: [Entry?] = []
        var free: [Int] = []
    }

    /// A transfer that receives fewer bytes between two looks, one second apart, makes no progress.
    private static let leastProgress = 1_024

    private let table = Mutex(Table())

    var count: Int { table.withLock { $0.entries.count - $0.free.count } }

    /// The number of running transfers of each origin.
    var origins: [String: Int] {
        table.withLock { table in
            table.entries.reduce(into: [:]) { origins, entry in
                if let entry { origins[entry.transfer.lane, default: 0] += 1 }
            }
        }
    }

    /// - Returns: The place, for the removal.
    func insert(_ transfer: Transfer) -> Int {
        table.withLock { table in
            let entry = Entry(transfer: transfer)
            guard let place = table.free.popLast() else {
                table.entries.append(entry)
                return table.entries.count - 1
            }
            table.entries[place] = entry
            return place
        }
    }

    func remove(at place: Int) {
        table.withLock { table in
            table.entries[place] = nil
            table.free.append(place)
        }
    }

    /// The number of transfers of each origin that have made no progress since the last look.
    func stalled() -> [String: Int] {
        table.withLock { table in
            var stalled: [String: Int] = [:]
            for place in table.entries.indices {
                guard let entry = table.entries[place] else { continue }
                let now = entry.transfer.receivedCount.load(ordering: .relaxed)
                if let before = entry.receivedCount, now - before < Self.leastProgress {
                    stalled[entry.transfer.lane, default: 0] += 1
                }
                table.entries[place]?.receivedCount = now
            }
            return stalled
        }
    }
}
