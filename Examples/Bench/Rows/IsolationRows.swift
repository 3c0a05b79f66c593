// SPDX-License-Identifier: MIT
import HTTPTransport
import Locks
import TaskCoordination

extension Family {
    static let isolation = Family(
        name: "isolation", summary: "what it costs to count behind each kind of isolation, against a mutex"
    ) { effort, show in
        let (guarded, actor, slots) = (GuardedCounter(), CountingActor(), Slots(limit: 1))
        let client = HTTPClient()
        let figures = try await measure(
            effort,
            Contender("a Mutex") { count in
                for _ in 0..<count { guarded.add() }
            },
            Contender("an actor") { count in
                for _ in 0..<count { await actor.add() }
            },
            Contender("slots, one of which is free") { count in
                for _ in 0..<count { try await slots.withSlot { guarded.add() } }
            },
            Contender("the main actor") { count in
                for _ in 0..<count { await MainActor.run { guarded.add() } }
            },
            Contender("an actor on a thread of its own") { count in
                for _ in 0..<count { blackHole(await client.transferCount) }
            })
        // The runtime's own, but for the slots and the thread: what decisions rest on.
        let rows = [("actor", 10.0), ("slots", 40), ("main-actor", 2_500), ("thread-actor", 5_000)]
        for ((name, ceiling), figure) in zip(rows, figures.dropFirst()) {
            show(Row("isolation/\(name)", figure, against: figures[0], atMost: ceiling))
        }
        let crowds = try await measure(
            effort,
            Contender("a Mutex") { count in
                try await inParallel(64, count: count) { guarded.add() }
            },
            Contender("an actor") { count in
                try await inParallel(64, count: count) { await actor.add() }
            })
        show(Row("isolation/actor-64-tasks", crowds[1], against: crowds[0], atMost: 40))
        await client.shutdown()
    }
}

private actor CountingActor {
    private var count = 0

    func add() { count += 1 }
}

private final class GuardedCounter: Sendable {
    private let count = Mutex(0)

    func add() { count.withLock { $0 += 1 } }
}
