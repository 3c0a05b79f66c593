// SPDX-License-Identifier: MIT
import TaskCoordination

extension Family {
    static let waiters = Family(
        name: "waiters", summary: "10,000 callers of one flight, each in a task, against as many awaiting one Task"
    ) { effort, show in
        let figures = try await measure(
            effort,
            Contender("InFlight", count: 10_000) { count in
                let flights = InFlight<Int, Int, Never>(name: "bench")
                let turnstile = Turnstile(count)
                try await atOnce(count) { _ in
                    turnstile.arrive()
                    let value = try await flights.value(for: 1) { _ in
                        await turnstile.opened()
                        return 1
                    }
                    blackHole(value)
                }
            },
            Contender("tasks awaiting one Task.value", count: 10_000) { count in
                let turnstile = Turnstile(count)
                // Unstructured because all the other tasks await it; it ends with the turnstile.
                let work = Task {
                    await turnstile.opened()
                    return 1
                }
                try await atOnce(count) { _ in
                    turnstile.arrive()
                    blackHole(await work.value)
                }
            })
        show(Row("waiters-10000", figures[0], against: figures[1], atMost: 1.6, note: "each, its own task included"))
    }
}
