extension DiskIndex {
    /// The files least worth their space, worst first: by time since the last use times size.
    ///
    /// A picture that is twice as large must have been used within half the time. The added half kilobyte is the
    /// overhead of a file.
    ///
    /// - Parameters:
    ///   - byteCount: The list ends when it frees this much.
    ///   - limit: The longest list.
    ///   - lifetime: Files stored outside it go first.
    /// - Complexity: O(n) for the index, and O(k log k) for the k files returned or equally bad.
    /// - Source: Chromium, `net/disk_cache/simple/simple_index.cc`, the score of `StartEvictionIfNeeded`.
    func victims(toFree byteCount: Int, limit: Int, now: Int64, lifetime: Lifetime) -> [Victim] {
        guard byteCount > 0, limit > 0 else { return [] }
        let score = { (record: Record) -> Double in
            guard lifetime.covers(Int64(record.storedAt)) else { return .greatestFiniteMagnitude }
            // A use in the future, noted by a clock that was ahead, counts like one as long ago.
            return max(1, abs(Double(now) - Double(record.usedAt))) * (Double(record.size) + 512)
        }
        let threshold = self.threshold(toFree: byteCount, limit: limit, score: score)
        var candidates: [(score: Double, victim: Victim)] = []
        for (digest, record) in folders.lazy.joined() {
            let value = score(record)
            if Self.step(value) >= threshold { candidates.append((value, Victim(digest: digest, record: record))) }
        }
        candidates.sort { first, second in
            // Equal scores are ordered by digest, so that equal caches trim equally.
            (second.score, first.victim.digest.high) < (first.score, second.victim.digest.high)
        }
        var freed = 0
        var chosen: [Victim] = []
        for candidate in candidates.prefix(limit) where freed < byteCount {
            freed += candidate.victim.record.size
            chosen.append(candidate.victim)
        }
        return chosen
    }

    /// The step above which enough files lie. It is found by counting, because sorting a million scores takes longer.
    private func threshold(toFree byteCount: Int, limit: Int, score: (Record) -> Double) -> Int {
        var steps = [(bytes: Int, count: Int)](repeating: (0, 0), count: Self.stepCount)
        for (_, record) in folders.lazy.joined() {
            let step = Self.step(score(record))
            steps[step].bytes += record.size
            steps[step].count += 1
        }
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
