// SPDX-License-Identifier: MIT
import WebImageTesting

/// A table on a seeded executor, with callers that ask it and a timeline that records what happens.
///
/// A scenario is synchronous: it starts callers, runs every job that can run, looks, and goes on. What it starts
/// without a ``run()`` in between happens in an order that the seed draws.
final class Stage: Sendable {
    /// A task that asks the table for a key.
    struct Caller: Sendable {
        let name: String
        let probe: Probe<Int>
        /// The reports that it has heard.
        let heard: Journal<Int>
    }

    let timeline = Timeline()
    let executor: SeededExecutor
    private let table: any OncePerKey
    private let callers = Journal<Caller>()

    /// After so many steps a scenario is stopped: a table that asks again and again has no end of its own.
    static let stepLimit = 10_000
    var isEndless: Bool { timeline.stepCount >= Self.stepLimit }

    /// The callers that still wait.
    var waiting: [Caller] { callers.entries.filter(\.probe.isRunning) }

    /// Creates a stage for the table that `makeTable` returns, and whose interleavings the executor draws.
    init(_ executor: SeededExecutor, _ makeTable: (any TaskExecutor) -> any OncePerKey) {
        self.executor = executor
        table = makeTable(executor)
    }

    /// Runs jobs until none is left. After it, every task has ended or waits for an event of the scenario.
    func run() {
        repeat { timeline.advance() } while !isEndless && executor.run(steps: 1) == 1
    }

    /// Starts a caller that asks for `key`.
    func call(
        _ name: String, for key: String = "picture", at priority: TaskPriority? = nil, operation: @escaping Reporting
    ) -> Caller {
        let heard = Journal<Int>()
        let probe = Probe(on: executor, priority: priority) { [table, timeline] in
            timeline.note(name, priority.map { "asks for \(key) at \($0.name) priority" } ?? "asks for \(key)")
            do {
                let listener: @Sendable (Int) -> Void = { report in
                    timeline.note(name, "hears \(report)")
                    heard.write(report)
                }
                let value = try await table.value(for: key, hearing: listener, operation: operation)
                timeline.note(name, "gets \(value)")
                return value
            } catch {
                timeline.note(name, "ends with \(error is CancellationError ? "CancellationError" : "\(error)")")
                throw error
            }
        }
        let caller = Caller(name: name, probe: probe, heard: heard)
        callers.write(caller)
        return caller
    }

    /// Cancels the caller at a moment that the seed draws.
    func cancel(_ caller: Caller) {
        _ = Probe(on: executor) { [timeline] in
            timeline.note(caller.name, "is cancelled")
            caller.probe.cancel()
        }
    }

    /// Escalates the caller at a moment that the seed draws.
    func escalate(_ caller: Caller, to priority: TaskPriority) {
        _ = Probe(on: executor) { [timeline] in
            timeline.note(caller.name, "is escalated to \(priority.name) priority")
            caller.probe.escalate(to: priority)
        }
    }

    /// Opens the gate, for which operations wait as for an origin's answer.
    func answer(_ gate: Gate) {
        timeline.note("origin", "answers")
        gate.open()
    }

    /// An operation that records its begin, its cancellation and its end.
    func flight(
        _ work: @escaping @concurrent @Sendable (_ name: String, _ report: @Sendable (Int) -> Void) async throws -> Int
    ) -> Reporting {
        { [timeline] report in
            let name = timeline.nextFlight()
            timeline.note(name, "begins")
            do {
                let value = try await withTaskCancellationHandler {
                    try await work(name) { progress in
                        timeline.note(name, "reports \(progress)")
                        report(progress)
                    }
                } onCancel: {
                    timeline.note(name, "is cancelled")
                }
                timeline.note(name, "returns")
                try Task.checkCancellation()
                return value
            } catch let failure as OriginFailure {
                timeline.note(name, "fails")
                throw failure
            }
        }
    }
}

/// What the origin answers when it has no picture.
struct OriginFailure: Error, CustomStringConvertible {
    var description: String { "the origin's failure" }
}

extension TaskPriority {
    /// The name as it is spelled in the source.
    var name: String {
        switch self {
        case .high: "high"
        case .medium: "medium"
        case .low: "low"
        case .background: "background"
        default: "\(rawValue)"
        }
    }
}
