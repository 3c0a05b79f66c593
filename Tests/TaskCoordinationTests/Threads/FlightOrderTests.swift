// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// Callers of one key who come, leave and are cancelled at once, on threads: an order of their steps explains what each
/// has seen.
struct FlightOrderTests {
    private struct Caller: Sendable {
        let delay: Int
        /// How often its operation gives way to other tasks.
        let yields: Int
        /// When it is cancelled; `nil` for never.
        let cancellation: Int?
    }

    private struct Race: Sendable {
        let callers: [Caller]
        let cancelAll: Int?
        let close: Int?
        let hasSlots: Bool

        init(_ draw: inout Generator) {
            callers = draw.list(2...4) { draw in
                Caller(
                    delay: draw.number(0...120) + (draw.isTrue(oneIn: 3) ? 4_000 : 0), yields: draw.number(0...20),
                    cancellation: draw.maybe { $0.number(0...200) })
            }
            cancelAll = draw.isTrue(oneIn: 3) ? draw.number(0...200) : nil
            close = draw.isTrue(oneIn: 6) ? draw.number(0...200) : nil
            hasSlots = draw.isTrue()
        }

        private var runnerCount: Int {
            callers.count + callers.count { $0.cancellation != nil } + (cancelAll == nil ? 0 : 1)
                + (close == nil ? 0 : 1)
        }

        func fault() async -> String? {
            let (history, line) = (History<FlightStep>(), StartLine(runnerCount))
            let slots = hasSlots ? Slots(limit: 1) : nil
            let table = InFlight<Int, Int, Int>(name: "race", slots: slots)
            await withDiscardingTaskGroup { group in
                let tasks = callers.enumerated().map { number, caller in
                    Task.detached {
                        line.wait(turns: caller.delay)
                        await Self.call(number, caller, table, history)
                    }
                }
                for (number, caller) in callers.enumerated() {
                    guard let turns = caller.cancellation else { continue }
                    group.addTask {
                        line.wait(turns: turns)
                        history.write(.cancel(number)) { tasks[number].cancel() }
                    }
                }
                if let cancelAll {
                    group.addTask {
                        line.wait(turns: cancelAll)
                        history.write(.cancelAll) { table.cancelAll() }
                    }
                }
                if let close {
                    group.addTask {
                        line.wait(turns: close)
                        history.write(.close) { table.close() }
                    }
                }
                for task in tasks { await task.value }
            }
            await table.drain()
            let left = table.entryCount + (slots?.entryCount ?? 0)
            return history.fault(from: FlightModel(callers: callers.count))
                ?? unless(left == 0, "\(left) entries are left")
        }

        private static func call(
            _ number: Int, _ caller: Caller, _ table: InFlight<Int, Int, Int>, _ history: History<FlightStep>
        ) async {
            let begun = history.now
            let end: FlightStep
            do {
                let value = try await table.value(for: 0) { _ in
                    history.write(.start(number))
                    for _ in 0..<caller.yields { await Task.yield() }
                    history.write(.land(number), since: history.now, until: .max)
                    return number
                }
                end = .value(number, of: value)
            } catch {
                end = error is CancellationError ? .cancelled(number) : .refused(number)
            }
            let ended = history.now
            history.write(.join(number), since: begun, until: ended)
            history.write(end, since: begun, until: ended)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `callers on threads see what one of the orders of their steps would have shown them`() async {
        await Property(cases: 4_000) { Race(&$0) }.holds { await $0.fault() }
    }

    @Test func `the model of a table refuses what no order explains`() {
        typealias Steps = [(FlightStep, ClosedRange<Int>)]
        func hasOrder(_ first: Steps, _ rest: Steps) -> Bool {
            let history = History<FlightStep>()
            for (step, time) in first + rest { history.write(step, since: time.lowerBound, until: time.upperBound) }
            return history.fault(from: FlightModel(callers: 2)) == nil
        }
        let first: Steps = [(.join(0), 1...4), (.start(0), 2...2), (.land(0), 3...9)]
        expect(hasOrder(first, [(.value(0, of: 0), 1...4), (.join(1), 1...5), (.value(1, of: 0), 1...5)]))
        // After the landing another caller needs a flight of its own.
        expect(!hasOrder(first, [(.value(0, of: 0), 1...4), (.join(1), 5...6), (.value(1, of: 0), 5...6)]))
        // Two flights of one key at once.
        expect(!hasOrder(first, [(.value(0, of: 0), 1...4), (.join(1), 2...2), (.start(1), 2...2)]))
        // An end without a cancellation.
        expect(!hasOrder(first, [(.cancelled(0), 1...4)]))
    }
}
