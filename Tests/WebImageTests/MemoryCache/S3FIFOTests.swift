// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

@Suite(.replayed)
struct S3FIFOTests {
    @Test(arguments: 0..<40) func `the table does the same as a naive model`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<3 {
            let maximumCost = Int.random(in: 80...200, using: &random)
            let maximumCount = Int.random(in: 2...40, using: &random)
            var table = S3FIFO<Int, Int>(maximumCost: maximumCost, maximumCount: maximumCount)
            var model = NaiveS3FIFO(maximumCost: maximumCost, maximumCount: maximumCount)
            for step in 0..<300 {
                let key = Int.random(in: 0..<24, using: &random)
                switch Int.random(in: 0..<10, using: &random) {
                case 0: expectEqual(table.remove(key), model.remove(key))
                case 1...5:
                    let highest = Bool.random(using: &random) ? 12 : maximumCost + 1
                    let cost = Int.random(in: -1...highest, using: &random)
                    var retired: [Int] = []
                    let isStored = table.store(step, for: key, cost: cost, retired: &retired)
                    let expected = model.store(step, for: key, cost: cost)
                    expectEqual(isStored, expected.isStored)
                    expectEqual(retired, expected.retired)
                default: expectEqual(table.value(for: key), model.value(for: key))
                }
                expectEqual(table.totalCost, model.cost)
                expectEqual(table.count, model.count)
                expectEqual(Set((0..<24).filter { table.contains($0) }), model.keys)
                expectEqual(table.inconsistencies, [])
                expectEqual(table.ghosts.count, model.ghosts.count { $0 != nil })
            }
        }
    }

    /// The hits of the table and of a cache that forgets what was used least recently, on one trace.
    private static func hits(
        of requests: Int, limit: Int, _ key: (_ step: Int) -> Int
    ) -> (table: Int, recent: Int) {
        var table = S3FIFO<Int, Int>(maximumCost: limit, maximumCount: .max)
        var recent = LeastRecentlyUsed(limit: limit)
        var hits = (table: 0, recent: 0)
        for step in 0..<requests {
            let key = key(step)
            if table.value(for: key) != nil {
                hits.table += 1
            } else {
                var retired: [Int] = []
                _ = table.store(key, for: key, cost: 1, retired: &retired)
            }
            if recent.use(key) { hits.recent += 1 }
        }
        return hits
    }

    @Test(arguments: [0.8, 0.9, 1.1])
    func `the hit rate on a skewed trace is above that of least recently used`(exponent: Double) {
        var random = SeededGenerator(seed: 7)
        let zipf = ZipfTrace(count: 5_000, exponent: exponent)
        let hits = Self.hits(of: 40_000, limit: 250) { _ in zipf.next(using: &random) }
        // The advantage is four to nine points of 40,000 requests; the test requires two.
        expect(hits.table, >, hits.recent + 800, "\(hits)")
    }

    @Test(arguments: 0..<3)
    func `the hit rate is above that of least recently used when popularity drifts, too`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let (count, requests) = (2_000, 40_000)
        let zipf = ZipfTrace(count: count, exponent: 0.9)
        let hits = Self.hits(of: requests, limit: count / 20) { step in
            // A hundredth of the pictures is new at the top after each hundredth of the requests.
            (zipf.next(using: &random) + step * 100 / requests * (count / 100)) % count
        }
        // The advantage is 2.4 points; with the queues of the paper it is one at most, and without the ghosts of main
        // two.
        expect(hits.table, >, hits.recent + 860, "\(hits)")
    }

    @Test func `entries in use are not evicted by a scan or a large new entry, and one that returns is kept longer`() {
        // A scan does not evict entries in use.
        var table = S3FIFO<Int, Int>(maximumCost: 100, maximumCount: 100)
        var retired: [Int] = []
        for key in 0..<50 {
            _ = table.store(key, for: key, cost: 1, retired: &retired)
            _ = table.value(for: key)
        }
        for key in 1_000..<3_000 { _ = table.store(key, for: key, cost: 1, retired: &retired) }
        expect((0..<50).allSatisfy { table.contains($0) })

        // A large new entry does not evict entries in use, unless it is in use itself.
        do {
            var table = S3FIFO<Int, Int>(maximumCost: 80, maximumCount: 100)
            var retired: [Int] = []
            // Fills main: requested entries move there when the small queue is full.
            for _ in 0..<2 {
                for key in 0..<80 where table.value(for: key) == nil {
                    _ = table.store(key, for: key, cost: 1, retired: &retired)
                }
            }
            _ = table.store(80, for: 80, cost: 1, retired: &retired)
            let before = table.main.count
            let isStoredAtOnce = table.store(100, for: 100, cost: 40, retired: &retired)
            expectAll(before > 60, !isStoredAtOnce, table.main.count == before)
            let isStoredLater = table.store(100, for: 100, cost: 40, retired: &retired)
            expectAll(isStoredLater, table.value(for: 100) == 100, table.totalCost <= 80)
        }

        // An entry that returns while its hash is remembered is kept longer.
        do {
            var table = S3FIFO<Int, Int>(maximumCost: 20, maximumCount: 20)
            var retired: [Int] = []
            for key in 0..<21 { _ = table.store(key, for: key, cost: 1, retired: &retired) }
            expectEqual(retired, [0])
            _ = table.store(0, for: 0, cost: 1, retired: &retired)
            for key in 100..<140 { _ = table.store(key, for: key, cost: 1, retired: &retired) }
            expect(table.contains(0))
        }
    }

    @Test(arguments: 0..<40)
    func `an entry up to half of the limit that is requested twice is held, whatever the other entries`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<25 {
            var table = S3FIFO<Int, Int>(maximumCost: 300, maximumCount: 1_000)
            var retired: [Int] = []
            for step in 0..<Int.random(in: 0...400, using: &random) {
                let key = Int.random(in: 0..<60, using: &random)
                guard table.value(for: key) == nil else { continue }
                _ = table.store(step, for: key, cost: .random(in: 0...40, using: &random), retired: &retired)
            }
            let cost = Int.random(in: 1...150, using: &random)
            let stores = (0..<5).count { turn in
                guard table.value(for: -1) == nil else { return false }
                _ = table.store(turn, for: -1, cost: cost, retired: &retired)
                // Other entries come between two uses.
                _ = table.store(turn, for: 1_000 + turn, cost: 10, retired: &retired)
                return true
            }
            expect(stores <= 2 && table.contains(-1), "cost \(cost)")
        }
    }

    /// A full table with more than 60 entries in main.
    private func filled() -> S3FIFO<Int, Int> {
        var table = S3FIFO<Int, Int>(maximumCost: 80, maximumCount: 100)
        var retired: [Int] = []
        for turn in 0..<3 {
            for key in 0..<80 {
                if table.value(for: key) == nil { _ = table.store(turn, for: key, cost: 1, retired: &retired) }
            }
        }
        // Requested entries move to main when the table is full.
        _ = table.store(80, for: 80, cost: 1, retired: &retired)
        return table
    }

    @Test(arguments: [41, 60, 80])
    func `a picture above half of the limit is held when it alone is requested, and empties no table`(cost: Int) {
        // A picture above half of the limit that is requested again and again does not empty the table.
        var (table, retired) = (filled(), [Int]())
        for turn in 1...30 {
            let isStored = table.store(turn, for: 100, cost: cost, retired: &retired)
            expect(!isStored, "the others are in use")
            for key in 0..<80 { _ = table.value(for: key) }
            expect(table.count, >=, 70)
        }
        let before = table.count
        _ = table.store(31, for: 100, cost: cost, retired: &retired)
        expect(table.count, >=, before - 10, "an eighth at most")

        // A picture above half of the limit is held when it alone is requested.
        do {
            var (table, retired) = (filled(), [Int]())
            let turns = (1...40).first { table.store($0, for: 100, cost: cost, retired: &retired) } ?? 0
            expect((3...40).contains(turns))
            expectEqual(table.value(for: 100), turns)
            expect(table.totalCost, <=, 80)
        }
    }

    @Test(arguments: [16, 3_000])
    func `hashes beyond the limit are forgotten, oldest first, and their memory is bounded`(limit: Int) {
        // The memory of evicted keys is bounded, however many there are.
        var ghosts = GhostQueue()
        var longest = 0
        for hash in 0..<50_000 {
            ghosts.remember(hash % 40_000, atMost: limit)
            if hash % 3 == 0 { _ = ghosts.forget(hash - 5) }
            longest = max(longest, ghosts.placeCount)
            expect(ghosts.count, <=, limit)
        }
        expect(longest, <=, 2 * limit)

        // Hashes beyond the limit are forgotten, oldest first.
        do {
            var ghosts = GhostQueue()
            for hash in 0..<5_000 { ghosts.remember(hash, atMost: 16) }
            expectEqual(ghosts.count, 16)
            let (old, new) = (ghosts.forget(4_983), ghosts.forget(4_984))
            expectAll(!old, new)
            ghosts.remember(4_999, atMost: 16)
            expect(ghosts.count == 14 || ghosts.count == 15)
        }
    }

    @Test func `slots are reused`() {
        var table = S3FIFO<Int, Int>(maximumCost: 80, maximumCount: 10)
        var retired: [Int] = []
        for key in 0..<10_000 { _ = table.store(key, for: key, cost: 1, retired: &retired) }
        expect(table.slots.count, <=, 11)
    }
}

/// Least recently used, for comparison: a timestamp for each key.
private struct LeastRecentlyUsed {
    let limit: Int
    private var turns: [Int: Int] = [:]
    private var line: [(key: Int, turn: Int)] = []
    private var head = 0
    private var turn = 0

    init(limit: Int) { self.limit = limit }

    mutating func use(_ key: Int) -> Bool {
        turn += 1
        let isHit = turns.updateValue(turn, forKey: key) != nil
        line.append((key, turn))
        while turns.count > limit {
            let oldest = line[head]
            head += 1
            if turns[oldest.key] == oldest.turn { turns[oldest.key] = nil }
        }
        return isHit
    }
}
