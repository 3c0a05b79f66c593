// SPDX-License-Identifier: MIT
import TaskCoordination
import WebImageTesting

/// What a load costs that shares nothing: one caller, a key that no other caller asks for, an operation that yields
/// once.
struct Cost: Sendable {
    /// One load for the key.
    typealias Load = @Sendable (_ key: String) async throws -> Int

    /// The time per load on one thread, in microseconds, in the round that was disturbed least.
    let microseconds: Double
    /// How many jobs the executor runs per load, those of the calling task among them.
    let jobs: Int

    // Short rounds, and many: some fit between two interruptions by other programs.
    #if DEBUG
    private static let (rounds, loads) = (3, 300)
    #else
    private static let (rounds, loads) = (100, 500)
    #endif
    private static let keys = (0..<64).map { "key \($0)" }

    /// A warning of the figures of a debug build; `nil` in a release build.
    static func caveat(_ words: String) -> String? {
        #if DEBUG
        "Figures of a debug build say little: swift run -c release lessons \(words)"
        #else
        nil
        #endif
    }

    /// Measures loads against each other. They take turns, so that what disturbs the machine disturbs them alike.
    ///
    /// - Parameter makers: Each makes a load that runs on an executor.
    static func measure(_ makers: [(_ executor: any TaskExecutor) -> Load]) -> [Cost] {
        let executor = PlainExecutor()
        let loads = makers.map { $0(executor) }
        var costs = [Cost](repeating: Cost(microseconds: .infinity, jobs: 0), count: loads.count)
        for _ in 0..<rounds {
            for (index, load) in loads.enumerated() {
                let cost = round(load, on: executor)
                if cost.microseconds < costs[index].microseconds { costs[index] = cost }
            }
        }
        return costs
    }

    private static func round(_ load: @escaping Load, on executor: PlainExecutor) -> Cost {
        var jobs = 0
        let duration = ContinuousClock().measure {
            _ = Probe(on: executor) { for number in 0..<loads { _ = try await load(keys[number % keys.count]) } }
            jobs = executor.drain()
        }
        return Cost(microseconds: duration / .microseconds(loads), jobs: jobs / loads)
    }

    /// A task that is started and waited for, without a table.
    static func bareTask(on executor: any TaskExecutor) -> Load {
        { _ in
            let task = Task.detached(executorPreference: executor) { await work() }
            return await task.value
        }
    }

    /// A load through a table.
    static func load(through step: Step, on executor: any TaskExecutor) -> Load {
        let table = step.makeTable(executor, Slots(limit: 1))
        return { key in try await table.value(for: key, hearing: { _ in }) { _ in await work() } }
    }

    @concurrent private static func work() async -> Int {
        await Task.yield()
        return 1
    }
}
