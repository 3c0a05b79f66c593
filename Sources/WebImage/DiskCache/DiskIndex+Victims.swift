// SPDX-License-Identifier: MIT
/// A search for the files least worth their space, worst first: by time since the last use times size.
///
/// A picture that is twice as large must have been used within half the time. The added half kilobyte is the overhead
/// of a file.
///
/// Two passes over the index, a folder at a time, so that the caller can give other work its turn between: the first
/// counts, because sorting a million scores takes longer, and the second collects. Files that change between the passes
/// are judged by what the index says at the time.
///
/// - Complexity: O(n) for the index, and O(k log k) for the k files returned or equally bad.
/// - Source: Chromium, `net/disk_cache/simple/simple_index.cc`, the score of `StartEvictionIfNeeded`.
struct VictimSearch {
    /// The files end when they free this much.
    let byteCount: Int
    /// The most files.
    let limit: Int
    /// Seconds since 1970.
    let now: Int64
    /// Files outside it go first.
    let lifetime: Lifetime

    /// Bytes and files by the step of their score.
    private var steps = [(bytes: Int, count: Int)](repeating: (0, 0), count: Self.stepCount)
    /// Files from this step on are collected; `nil` during the first pass.
    private var threshold: Int?
    private var candidates: [(score: Double, victim: DiskIndex.Victim)] = []

    init(toFree byteCount: Int, limit: Int, now: Int64, lifetime: Lifetime) {
        self.byteCount = byteCount
        self.limit = limit
        self.now = now
        self.lifetime = lifetime
    }

    /// The first pass.
    mutating func count(_ folder: IndexTable) {
        for (_, record) in folder {
            let step = Self.step(score(record))
            steps[step].bytes += record.size
            steps[step].count += 1
        }
    }

    /// The second pass.
    mutating func collect(_ folder: IndexTable) {
        let threshold = self.threshold ?? findThreshold()
        self.threshold = threshold
        for (digest, record) in folder {
            let value = score(record)
            guard Self.step(value) >= threshold else { continue }
            candidates.append((value, DiskIndex.Victim(digest: digest, record: record)))
        }
    }

    /// The files found.
    consuming func victims() -> [DiskIndex.Victim] {
        guard byteCount > 0, limit > 0 else { return [] }
        candidates.sort { first, second in
            // Equal scores are ordered by digest, so that equal caches trim equally.
            (second.score, first.victim.digest.high, first.victim.digest.low)
                < (first.score, second.victim.digest.high, second.victim.digest.low)
        }
        var freed = 0
        var chosen: [DiskIndex.Victim] = []
        for candidate in candidates.prefix(limit) where freed < byteCount {
            freed += candidate.victim.record.size
            chosen.append(candidate.victim)
        }
        return chosen
    }

    private func score(_ record: DiskIndex.Record) -> Double {
        guard lifetime.covers(record) else { return .greatestFiniteMagnitude }
        // A use in the future, noted by a clock that was ahead, counts like one as long ago.
        return max(1, abs(Double(now) - Double(record.usedAt))) * (Double(record.size) + 512)
    }

    /// The step above which enough files lie.
    private func findThreshold() -> Int {
        var (bytes, count) = (0, 0)
        for step in steps.indices.reversed() {
            bytes += steps[step].bytes
            count += steps[step].count
            if bytes >= byteCount || count >= limit { return step }
        }
        return 0
    }

    private static var stepCount: Int { 2048 }

    /// A logarithmic scale, sixteen steps for each doubling.
    private static func step(_ score: Double) -> Int {
        let steps = Int(truncatingIfNeeded: score.bitPattern >> 48) - Int(truncatingIfNeeded: (1.0).bitPattern >> 48)
        return min(max(0, steps), stepCount - 1)
    }
}

extension DiskIndex {
    /// The files least worth their space, in one step; see ``VictimSearch``.
    func victims(toFree byteCount: Int, limit: Int, now: Int64, lifetime: Lifetime) -> [Victim] {
        var search = VictimSearch(toFree: byteCount, limit: limit, now: now, lifetime: lifetime)
        for folder in folders { search.count(folder) }
        for folder in folders { search.collect(folder) }
        return search.victims()
    }
}
