// SPDX-License-Identifier: MIT
import WebImage

/// What the server remembers about its answers, beside the memory of the loader. It shrinks while memory is short.
struct AnswerTables: Sendable {
    /// The most bytes of each table: a 32nd of what the process may use, at most 32 MiB.
    private static let byteLimit = min(32 << 20, MemoryBudget.processLimit / 32)

    let tags = PictureTags(byteLimit: byteLimit)
    let recent = RecentHits(byteLimit: byteLimit)

    /// The bytes of each table, by its name in the metrics.
    var byteCounts: [String: Int] { ["tags": tags.byteCount, "recent_hits": recent.byteCount] }

    /// Gives memory back, and takes no more than a share until the pressure ends.
    func respond(to pressure: MemoryPressure) {
        let limit =
            switch pressure {
            case .normal: Self.byteLimit
            case .warning: Self.byteLimit / 2
            case .critical: Self.byteLimit / 8
            }
        tags.setLimit(limit)
        recent.setLimit(limit)
    }
}
