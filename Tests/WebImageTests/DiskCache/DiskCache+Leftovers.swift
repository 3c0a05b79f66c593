// SPDX-License-Identifier: MIT
@testable import WebImage

extension DiskCache {
    /// Every table and counter of running work that is not empty, and every sum that is wrong.
    var leftovers: [String] {
        let counts: [String: Int] = [
            "turns": turns.count, "pendingBytes": pendingBytes, "operations": life.operations,
            "reportWaiters": life.reportWaiters.count, "drained": life.drained == nil ? 0 : 1,
            "indexWaiters": indexWaiters.count, "changedDuringListing": changedDuringListing == nil ? 0 : 1,
            "doubtful": doubtful.count, "seenDuringTurn": seenDuringTurn.count,
            "maintenance": maintenance == nil ? 0 : 1,
            "indexBytes": index.totalBytes - index.folders.joined().reduce(0) { $0 + $1.value.size },
            "indexCount": index.count - index.folders.reduce(0) { $0 + $1.count },
        ]
        return counts.filter { $0.value != 0 }.map { "\($0.key): \($0.value)" }.sorted()
    }
}
