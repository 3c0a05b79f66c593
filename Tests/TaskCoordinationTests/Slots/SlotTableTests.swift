// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

@Suite struct SlotTableTests {
    private typealias Waiter = SlotTableSubject.Waiter
    private typealias Table = SlotTableSubject.Table

    /// What the rules say, as a list that is searched from one end to the other.
    private struct Model {
        var waiting: [(waiter: Waiter, place: Table.Place, priority: UInt8)] = []
        var holding: [Waiter] = []
        let limits: SlotSettings

        func held(_ lane: String) -> Int { holding.count { $0.lane == lane } }
        var held: Int { holding.count }

        /// The waiters that may be next: the most urgent of lanes below their limit; of these the ones of lanes below
        /// their share, if there are any; and of each lane the first.
        var candidates: [Waiter] {
            let open = waiting.filter { held($0.waiter.lane) < limits.lane }
            guard let best = open.map(\.priority).max() else { return [] }
            let urgent = open.filter { $0.priority == best }
            let below = urgent.filter { held($0.waiter.lane) < limits.share }
            var firsts: [String: Waiter] = [:]
            for entry in below.isEmpty ? urgent : below where firsts[entry.waiter.lane] == nil {
                firsts[entry.waiter.lane] = entry.waiter
            }
            return Array(firsts.values)
        }

        mutating func serve(_ waiter: Waiter) {
            waiting.removeAll { $0.waiter == waiter }
            holding.append(waiter)
        }
    }

    @Test(
        arguments: [(4, 2, Int.max), (5, 1, .max), (6, 3, 4), (5, .max, 2), (3, .max, .max)], 0..<10 as Range<UInt64>)
    func `the table serves only what the rules allow, and forgets everything at the end`(
        limits: (limit: Int, share: Int, lane: Int), seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let limits = SlotSettings(limit: limits.limit, share: limits.share, lane: limits.lane)
        let table = SlotTableSubject(limits)
        var model = Model(limits: limits)
        var gone: [Table.Place] = []

        func serveAll() {
            while true {
                let candidates = model.candidates
                guard let next = table.next() else {
                    expect(candidates.isEmpty || model.held >= limits.limit)
                    return
                }
                expect(candidates.contains(next), "seed \(seed)")
                model.serve(next)
            }
        }

        for name in 0..<1_500 {
            let waiter = Waiter(name: name, lane: "\(Int.random(in: 0..<4, using: &random))")
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let mayTake =
                    model.candidates.isEmpty && model.held < limits.limit
                    && model.held(waiter.lane) < limits.lane
                    && !model.waiting.contains { $0.waiter.lane == waiter.lane }
                let isTaken = table.take(in: waiter.lane)
                expectEqual(isTaken, mayTake)
                if isTaken { model.holding.append(waiter) }
                guard !isTaken else { break }
                let priority = UInt8.random(in: 0..<4, using: &random)
                let place = table.queue(name, in: waiter.lane, priority: priority)
                model.waiting.append((waiter, place, priority))
            case 2 where !model.waiting.isEmpty:
                let left = model.waiting.remove(at: .random(in: model.waiting.indices, using: &random))
                expectEqual(table.remove(left.place), left.waiter)
                gone.append(left.place)
            case 3 where !model.waiting.isEmpty:
                let index = Int.random(in: model.waiting.indices, using: &random)
                let priority = UInt8.random(in: 0..<6, using: &random)
                if name.isMultiple(of: 2) {
                    table.raise(model.waiting[index].place, to: priority)
                    model.waiting[index].priority = max(priority, model.waiting[index].priority)
                } else {
                    table.move(model.waiting[index].place, to: priority)
                    model.waiting[index].priority = priority
                }
            default:
                guard let index = model.holding.indices.randomElement(using: &random) else { break }
                let ended = model.holding.remove(at: index)
                table.release(in: ended.lane)
            }
            serveAll()
            if let late = gone.randomElement(using: &random) {
                table.raise(late, to: 255)
                table.move(late, to: 255)
                expectNil(table.remove(late))
            }
            expectEqual(table.held, model.held)
            expectEqual(table.count, model.waiting.count)
        }
        for place in model.waiting.map(\.place) { _ = table.remove(place) }
        for waiter in model.holding { table.release(in: waiter.lane) }
        expectEqual(table.entryCount, 0)
    }

    @Test func `lanes of equal priority take turns, and one that holds its share goes first with urgent work alone`() {
        // Lanes of equal priority take turns.
        let table = SlotTableSubject(.init(limit: 1))
        expect(table.take(in: "z"))
        for name in 0..<6 {
            let lane = name < 4 ? "a" : "b"
            table.queue(name, in: lane)
        }
        var lanes: [String] = []
        var last = "z"
        while true {
            table.release(in: last)
            guard let next = table.next() else { break }
            lanes.append(next.lane)
            last = next.lane
        }
        expectEqual(lanes, ["a", "b", "a", "b", "a", "a"])
        expectEqual(table.entryCount, 0)

        // The lane of the waiter that came last goes first when the order is last in, first out.
        do {
            var table = Table(SlotSettings(limit: 1, order: .lifo))
            let held = table.take(in: "z")
            for (name, lane) in ["a", "b", "c", "a"].enumerated() {
                let waiter = Waiter(name: name, lane: lane)
                _ = table.insert(waiter, in: lane, priority: 1)
            }
            var (names, last) = ([Int](), held)
            while let lane = last {
                table.release(in: lane)
                let next = table.next()
                if let next { names.append(next.waiter.name) }
                last = next?.lane
            }
            expectEqual(names.first, 3)
            expectEqual(names.sorted(), [0, 1, 2, 3])
            expectEqual(table.entryCount, 0)
        }
        // A lane that holds its share goes first with what is more urgent, and last among equals.
        do {
            let table = SlotTableSubject(.init(limit: 4, share: 2))
            for _ in 0..<4 { expect(table.take(in: "busy")) }
            for name in 0..<2 { table.queue(name, in: "busy", priority: 33) }
            for name in 10..<12 { table.queue(name, in: "free", priority: 17) }
            table.queue(2, in: "busy", priority: 17)
            var names: [Int] = []
            for _ in 0..<4 {
                table.release(in: "busy")
                while let next = table.next() { names.append(next.name) }
            }
            expectEqual(names, [0, 1, 10, 11])
        }
    }

    @Test func `a round: a lane gives way above its share or without progress, unless its waiters are more urgent`() {
        // A round gives no slot of a lane with more urgent waiters, unless its bodies make no progress.
        let table = SlotTableSubject(.init(limit: 4, share: 2))
        for _ in 0..<4 { expect(table.take(in: "busy")) }
        table.queue(0, in: "busy", priority: 33)
        table.queue(1, in: "free", priority: 17)
        for _ in 0..<5 { expectEqual(table.nextRound().served, []) }
        expectEqual(table.nextRound(stalled: ["busy": 1]).served.map(\.name), [1])
        // A lane above its share gives way in the second round, and not before.
        do {
            let table = full(of: "drip", waiting: 50)
            table.queue(99, in: "fast")
            expectNil(table.next())
            expectEqual(table.nextRound().served, [])
            expectEqual(table.nextRound().served.map(\.name), [99])
            expectEqual([table.held, table.lent], [4, 1])
            // The one that gave way ends first; its slot was given back already.
            table.release(in: "drip")
            expectNil(table.next())
            expectEqual([table.held, table.lent], [4, 0])
            table.release(in: "fast")
            for _ in 0..<50 {
                while table.next() != nil {}
                table.release(in: "drip")
            }
            while table.held > 0 { table.release(in: "drip") }
            expectEqual(table.entryCount, 0)
        }
        // A lane within its share gives way when it makes no progress, and no more bodies than there are slots.
        do {
            let table = SlotTableSubject(.init(limit: 4, share: 2))
            for lane in ["a", "a", "b", "b"] {
                expect(table.take(in: lane))
            }
            for name in 0..<10 {
                table.queue(name, in: "c\(name)")
            }
            expectEqual(table.nextRound().served, [])
            expectEqual(table.nextRound().served, [])
            expectEqual(table.nextRound(stalled: ["b": 1]).served.count, 1)
            expectEqual([table.nextRound(stalled: ["a": 9, "b": 9]).served.count, table.lent], [3, 4])
            expectEqual(table.nextRound(stalled: ["a": 9, "b": 9, "c0": 9]).served, [])
        }
        // No lane gives way to itself, and none is served above a limit that was lowered.
        do {
            let alone = SlotTableSubject(.init(limit: 1))
            expect(alone.take(in: "slow"))
            alone.queue(0, in: "slow")
            for _ in 0..<5 { expectEqual(alone.nextRound(stalled: ["slow": 9]).served, []) }
            let table = full(of: "drip", waiting: 1)
            table.queue(99, in: "fast")
            table.change(.init(limit: 3, share: 2))
            let counts = (0..<3).map { _ in table.nextRound().served.count }
            expectEqual(counts, [0, 0, 1])
        }
    }

    private func full(of lane: String, waiting: Int) -> SlotTableSubject {
        let table = SlotTableSubject(.init(limit: 4, share: 2))
        for _ in 0..<4 {
            expect(table.take(in: lane))
        }
        for name in 0..<waiting {
            table.queue(name, in: lane)
        }
        return table
    }

    @Test func `a waiter is turned away when its patience is over`() {
        let table = full(of: "a", waiting: 3)
        for _ in 0..<4 {
            expectEqual(table.nextRound(patience: 5).expired, [])
        }
        expectEqual([table.nextRound(patience: 5).expired.count, table.count], [3, 0])
        for _ in 0..<4 { table.release(in: "a") }
        expectEqual(table.entryCount, 0)
    }

    @Test func `a place of a lane that is gone is no place in the lane that has its number now`() {
        let table = SlotTableSubject(.init(limit: 2))
        expect(table.take())
        var gone: [Table.Place] = []
        for name in 0..<100 {
            gone.append(table.queue(name, in: "\(name)"))
            for late in gone.dropLast() {
                table.raise(late, to: 200)
                expectNil(table.remove(late))
            }
            expectEqual(table.count, 1)
            expectEqual(table.next()?.name, name)
            table.release(in: "\(name)")
            expectEqual(table.laneCount, 2, "numbers are used again")
        }
        for late in gone { table.raise(late, to: 200) }
        table.release()
        for late in gone { expectNil(table.remove(late)) }
        for lane in ["one", "two"] { expect(table.take(in: lane)) }
        expectEqual(table.laneCount, 3, "lanes that come later have numbers of their own")
        for lane in ["one", "two"] { table.release(in: lane) }
        expectEqual(table.entryCount, 0)
    }

    @Test func `another order counts for what is queued, in a lane and among lanes`() {
        var table = SlotTable<Int>(SlotSettings(limit: 1))
        expect(table.take(in: "x") != nil)
        for (waiter, lane) in [(1, "a"), (2, "a"), (3, "b")] { _ = table.insert(waiter, in: lane, priority: 1) }
        table.change(SlotSettings(limit: 4, order: .lifo))
        var served: [Int] = []
        while let grant = table.next() { served.append(grant.waiter) }
        expectEqual(served, [3, 2, 1])
        // A lane that held its share is a lane like others when the share rises.
        var shared = SlotTable<Int>(SlotSettings(limit: 2, share: 1))
        for _ in 0..<2 { expect(shared.take(in: "x") != nil) }
        _ = shared.insert(1, in: "x", priority: 1)
        shared.change(SlotSettings(limit: 3, share: 3))
        _ = shared.insert(2, in: "y", priority: 1)
        expectEqual(shared.next()?.waiter, 1)
    }
}
