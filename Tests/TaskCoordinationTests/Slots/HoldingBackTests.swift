// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing

@testable import TaskCoordination

/// Waiters that get nothing although slots are free.
@Suite struct HoldingBackTests {
    @Test func `waiters that are held back keep their order and patience, and one is served while none runs`() {
        let urgency = Atomic(0)
        let table = SlotTableSubject(.init(limit: 4, share: 2)) { priority, running in
            running > 0 && Int(priority) < urgency.load(ordering: .relaxed)
        }
        urgency.store(5, ordering: .relaxed)
        expectAll(table.take(in: "a", priority: 1), !table.take(in: "a", priority: 4), table.take(priority: 5))
        for name in 0..<3 { table.queue(name, in: "\(name)", priority: name == 2 ? 2 : 1) }
        expectNil(table.next())
        for _ in 0..<9 { expectEqual(table.nextRound(stalled: ["a": 1], patience: 5).expired, []) }
        expectEqual([table.lent, table.count], [0, 3])
        urgency.store(2, ordering: .relaxed)
        expectEqual([table.next()?.name, table.next()?.name], [2, nil])
        for _ in 0..<4 { expectEqual(table.nextRound(patience: 5).expired, []) }
        urgency.store(5, ordering: .relaxed)
        for lane in ["a", "", "2"] { table.release(in: lane) }
        expectEqual([table.next()?.name, table.next()?.name], [0, nil])
        table.release(in: "0")
        expectEqual(table.next()?.name, 1)
        table.release(in: "1")
        expectEqual(table.entryCount, 0)
    }
}
