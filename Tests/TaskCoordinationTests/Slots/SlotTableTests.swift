import Testing

@testable import TaskCoordination

@Suite struct SlotTableTests {
    private struct Waiter: Sendable, Equatable {
        let name: Int
        let lane: String
        let units: Int
    }

    private typealias Table = SlotTable<Waiter>

    /// What the rules say, as a list that is searched from one end to the other.
    private struct Model {
        var waiting: [(waiter: Waiter, place: Table.Place, priority: UInt8)] = []
        var holding: [Waiter] = []
        let limits: Table.Limits

        func held(_ lane: String) -> Int { holding.filter { $0.lane == lane }.reduce(0) { $0 + $1.units } }
        var held: Int { holding.reduce(0) { $0 + $1.units } }

        /// The waiters that may be next: those of lanes below their share, or, when there are none, of those below
        /// their limit; of these the most urgent, and of each lane the first.
        var candidates: [Waiter] {
            let below = waiting.filter { held($0.waiter.lane) < min(limits.share, limits.lane) }
            let eligible = below.isEmpty ? waiting.filter { held($0.waiter.lane) < limits.lane } : below
            guard let best = eligible.map(\.priority).max() else { return [] }
            var firsts: [String: Waiter] = [:]
            for entry in eligible where entry.priority == best && firsts[entry.waiter.lane] == nil {
                firsts[entry.waiter.lane] = entry.waiter
            }
            return Array(firsts.values)
        }

        mutating func serve(_ waiter: Waiter) {
            waiting.removeAll { $0.waiter == waiter }
            holding.append(waiter)
        }
    }

    @Test(arguments: [(4, 2, Int.max), (6, 3, 4), (5, .max, 2), (3, .max, .max)], 0..<10 as Range<UInt64>)
    func `the table serves only what the rules allow, and forgets everything at the end`(
        limits: (units: Int, share: Int, lane: Int), seed: UInt64
    ) throws {
        var random = XorShift(seed: seed)
        let limits = Table.Limits(units: limits.units, share: limits.share, lane: limits.lane)
        var table = Table(limits: limits)
        var model = Model(limits: limits)
        var gone: [Table.Place] = []

        func serveAll() {
            while true {
                let candidates = model.candidates
                guard let next = table.next() else {
                    #expect(candidates.isEmpty || candidates.contains { $0.units > limits.units - model.held })
                    return
                }
                #expect(candidates.contains(next), "seed \(seed)")
                model.serve(next)
            }
        }

        for name in 0..<1_500 {
            let waiter = Waiter(name: name, lane: "\(Int.random(in: 0..<4, using: &random))", units: 1)
            switch Int.random(in: 0..<6, using: &random) {
            case 0, 1:
                let mayTake =
                    model.candidates.isEmpty && model.held < limits.units
                    && model.held(waiter.lane) < limits.lane
                    && !model.waiting.contains { $0.waiter.lane == waiter.lane }
                let isTaken = table.take(1, in: waiter.lane)
                #expect(isTaken == mayTake)
                if isTaken { model.holding.append(waiter) }
                guard !isTaken else { break }
                let priority = UInt8.random(in: 0..<4, using: &random)
                let place = table.reserve(in: waiter.lane)
                table.insert(waiter, at: place, units: 1, priority: priority)
                model.waiting.append((waiter, place, priority))
            case 2 where !model.waiting.isEmpty:
                let left = model.waiting.remove(at: .random(in: model.waiting.indices, using: &random))
                let removed = table.remove(left.place)
                #expect(removed == left.waiter)
                gone.append(left.place)
            case 3 where !model.waiting.isEmpty:
                let index = Int.random(in: model.waiting.indices, using: &random)
                let priority = UInt8.random(in: 0..<6, using: &random)
                table.raise(model.waiting[index].place, to: priority)
                model.waiting[index].priority = max(priority, model.waiting[index].priority)
            default:
                guard let index = model.holding.indices.randomElement(using: &random) else { break }
                let ended = model.holding.remove(at: index)
                table.release(1, in: ended.lane)
            }
            serveAll()
            if let late = gone.randomElement(using: &random) {
                table.raise(late, to: 255)
                let removed = table.remove(late)
                #expect(removed == nil)
            }
            #expect(table.held == model.held)
            #expect(table.count == model.waiting.count)
        }
        for place in model.waiting.map(\.place) { _ = table.remove(place) }
        for waiter in model.holding { table.release(1, in: waiter.lane) }
        #expect(table.isUnused)
    }

    @Test func `nothing small overtakes what is large, and what fits goes on when the large one leaves`() {
        var table = Table(limits: .init(units: 10))
        let answer1 = table.take(6, in: "")
        #expect(answer1)
        let large = table.reserve(in: "")
        table.insert(Waiter(name: 1, lane: "", units: 8), at: large, units: 8, priority: 1)
        let answer2 = table.take(1, in: "")
        #expect(!answer2)
        let small = table.reserve(in: "")
        table.insert(Waiter(name: 2, lane: "", units: 1), at: small, units: 1, priority: 1)
        let answer3 = table.next()
        #expect(answer3 == nil)
        let answer4 = table.remove(large)
        #expect(answer4 != nil)
        let answer5 = table.next()?.name
        #expect(answer5 == 2)
        table.release(6, in: "")
        table.release(1, in: "")
        #expect(table.isUnused)
    }

    @Test func `more units than there are count as all of them`() {
        var table = Table(limits: .init(units: 10))
        let place = table.reserve(in: "")
        table.insert(Waiter(name: 1, lane: "", units: .max), at: place, units: .max, priority: 1)
        let answer6 = table.next()?.name
        #expect(answer6 == 1)
        #expect(table.held == 10)
    }

    @Test func `lanes of equal priority take turns`() {
        var table = Table(limits: .init(units: 1))
        let answer7 = table.take(1, in: "z")
        #expect(answer7)
        for name in 0..<6 {
            let lane = name < 4 ? "a" : "b"
            let place = table.reserve(in: lane)
            table.insert(Waiter(name: name, lane: lane, units: 1), at: place, units: 1, priority: 1)
        }
        var lanes: [String] = []
        var last = "z"
        while true {
            table.release(1, in: last)
            guard let next = table.next() else { break }
            lanes.append(next.lane)
            last = next.lane
        }
        #expect(lanes == ["a", "b", "a", "b", "a", "a"])
        #expect(table.isUnused)
    }

    private func full(of lane: String, waiting: Int) -> Table {
        var table = Table(limits: .init(units: 4, share: 2))
        for _ in 0..<4 {
            let taken = table.take(1, in: lane)
            #expect(taken)
        }
        for name in 0..<waiting {
            let place = table.reserve(in: lane)
            table.insert(Waiter(name: name, lane: lane, units: 1), at: place, units: 1, priority: 200)
        }
        return table
    }

    @Test func `a lane above its share gives way in the second round, and not before`() {
        var table = full(of: "drip", waiting: 50)
        let place = table.reserve(in: "fast")
        table.insert(Waiter(name: 99, lane: "fast", units: 1), at: place, units: 1, priority: 1)
        let answer9 = table.next()
        #expect(answer9 == nil)
        let answer10 = table.nextRound(stalled: [:], patience: 100).served
        #expect(answer10 == [])
        let answer11 = table.nextRound(stalled: [:], patience: 100).served.map(\.name)
        #expect(answer11 == [99])
        #expect(table.held == 4)
        #expect(table.lent == 1)
        // The one that gave way ends first; its slot was given back already.
        table.release(1, in: "drip")
        let answer12 = table.next()
        #expect(answer12 == nil)
        #expect(table.held == 4)
        #expect(table.lent == 0)
    }

    @Test func `a lane within its share gives way when it makes no progress, and no more bodies than there are slots`()
    {
        var table = Table(limits: .init(units: 4, share: 2))
        for lane in ["a", "a", "b", "b"] {
            let taken = table.take(1, in: lane)
            #expect(taken)
        }
        for name in 0..<10 {
            let place = table.reserve(in: "c\(name)")
            table.insert(Waiter(name: name, lane: "c\(name)", units: 1), at: place, units: 1, priority: 1)
        }
        let answer14 = table.nextRound(stalled: [:], patience: 100).served
        #expect(answer14 == [])
        let answer15 = table.nextRound(stalled: [:], patience: 100).served
        #expect(answer15 == [])
        let answer16 = table.nextRound(stalled: ["b": 1], patience: 100).served.count
        #expect(answer16 == 1)
        let answer17 = table.nextRound(stalled: ["a": 9, "b": 9], patience: 100).served.count
        #expect(answer17 == 3)
        #expect(table.lent == 4)
        let answer18 = table.nextRound(stalled: ["a": 9, "b": 9, "c0": 9], patience: 100).served
        #expect(answer18 == [])
    }

    @Test func `a waiter is turned away when its patience is over`() {
        var table = full(of: "a", waiting: 3)
        for _ in 0..<4 {
            let taken = table.nextRound(stalled: [:], patience: 5).expired
            #expect(taken == [])
        }
        let answer20 = table.nextRound(stalled: [:], patience: 5).expired.count
        #expect(answer20 == 3)
        #expect(table.count == 0)
        for _ in 0..<4 { table.release(1, in: "a") }
        #expect(table.isUnused)
    }
}
