// SPDX-License-Identifier: MIT
import Testing

@testable import TaskCoordination

/// A table that expectations can ask: they do not take what changes a value.
final class SlotTableSubject {
    struct Waiter: Sendable, Equatable {
        let name: Int
        let lane: String
    }

    typealias Table = SlotTable<Waiter>

    private var table: Table
    /// The number that each lane had last.
    private var numbers: [String: Int] = [:]

    init(_ settings: SlotSettings, holdsBack: Table.HoldingBack? = nil) {
        table = Table(settings, holdsBack: holdsBack)
    }

    var held: Int { table.held }
    var lent: Int { table.lent }
    var count: Int { table.count }
    var laneCount: Int { table.laneCount }
    var entryCount: Int { table.entryCount }

    func take(in lane: String = "", priority: UInt8 = .max) -> Bool {
        guard let number = table.take(in: lane, priority: priority) else { return false }
        numbers[lane] = number
        return true
    }

    func release(in lane: String = "") { table.release(in: numbers[lane]!) }
    func change(_ settings: SlotSettings) { table.change(settings) }
    func next() -> Waiter? { table.next().map { note($0) } }
    func remove(_ place: Table.Place) -> Waiter? { table.remove(place) }
    func move(_ place: Table.Place, to priority: UInt8) { table.move(place, to: priority) }
    func raise(_ place: Table.Place, to priority: UInt8) { table.raise(place, to: priority) }

    @discardableResult
    func queue(_ name: Int, in lane: String = "", priority: UInt8 = 1) -> Table.Place {
        table.insert(Waiter(name: name, lane: lane), in: lane, priority: priority)
    }

    func nextRound(stalled: [String: Int] = [:], patience: Int = 100) -> (served: [Waiter], expired: [Waiter]) {
        let (served, expired) = table.nextRound(stalled: stalled, patience: patience)
        return (served.map { note($0) }, expired)
    }

    private func note(_ served: (waiter: Waiter, lane: Int)) -> Waiter {
        numbers[served.waiter.lane] = served.lane
        return served.waiter
    }
}
