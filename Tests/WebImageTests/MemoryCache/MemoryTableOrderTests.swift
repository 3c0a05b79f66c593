// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

private let limits = (cost: 10, count: 3)

/// Threads that use one table at once: an order of their calls explains every answer, and every entry leaves once.
struct MemoryTableOrderTests {
    private enum Call: Sendable, Equatable {
        case store(Int, key: Int, cost: Int)
        case value(Int)
        case contains(Int)
        case remove(Int)
        case removeAll
        case sweep(cost: Int)
        case look

        init(_ draw: inout Generator, value: Int) {
            let key = draw.oneOf([0, 0, 0, 1, 2])
            switch draw.number(0...11) {
            case 0...3: self = .store(value, key: key, cost: draw.oneOf([1, 2, 5, 9, 12]))
            case 4, 5: self = .value(key)
            case 6: self = .contains(key)
            case 7, 8: self = .remove(key)
            case 9: self = .sweep(cost: draw.number(0...6))
            case 10: self = .removeAll
            default: self = .look
            }
        }
    }

    /// A call with its answer: a value, a count, or 0 and 1.
    private struct Step: Sendable, Equatable {
        let call: Call
        let answer: Int?
    }

    private struct Model: SequentialModel {
        private var table = NaiveS3FIFO(maximumCost: limits.cost, maximumCount: limits.count)

        func after(_ step: Step) -> [Model] {
            var next = self
            return next.answer(step.call) == step.answer ? [next] : []
        }

        private mutating func answer(_ call: Call) -> Int? {
            switch call {
            case .store(let value, let key, let cost): return table.store(value, for: key, cost: cost).isStored ? 1 : 0
            case .value(let key): return table.value(for: key)
            case .contains(let key): return table.keys.contains(key) ? 1 : 0
            case .remove(let key): return table.remove(key)
            case .removeAll: table = NaiveS3FIFO(maximumCost: limits.cost, maximumCount: limits.count)
            case .sweep(let cost): while table.cost > cost { _ = table.evict() }
            case .look: return table.count * 100 + table.cost
            }
            return nil
        }
    }

    private struct Race: Sendable {
        let threads: [[(delay: Int, call: Call)]]

        init(_ draw: inout Generator) {
            var value = 0
            threads = draw.list(2...3) { draw in
                draw.list(1...4) { draw in
                    value += 1
                    return (draw.number(0...60), Call(&draw, value: value))
                }
            }
        }

        func fault() async -> String? {
            let (history, line, retired) = (History<Step>(), StartLine(threads.count), Journal<Int>())
            let table = MemoryTable<Int, Int>(
                maximumCost: limits.cost, maximumCount: limits.count, age: .never,
                onRetire: { keys, _ in for key in keys { retired.write(key) } }, now: { .zero })
            await withDiscardingTaskGroup { group in
                for calls in threads {
                    group.addTask {
                        for (index, (delay, call)) in calls.enumerated() {
                            if index == 0 { line.wait(turns: delay) }
                            history.write(
                                { Self.answer(call, of: table) }, as: { Step(call: call, answer: $0) })
                        }
                    }
                }
            }
            return history.fault(from: Model()) ?? faultOfEnds(history, table, retired)
        }

        /// Each entry that was stored is there, or has been told to have left.
        private func faultOfEnds(
            _ history: History<Step>, _ table: MemoryTable<Int, Int>, _ retired: Journal<Int>
        ) -> String? {
            let steps = history.entries.map(\.step)
            for key in 0...2 {
                let stored = steps.count { step in
                    if case .store(_, key, _) = step.call { step.answer == 1 } else { false }
                }
                let ended = retired.count(of: key) + (table.contains(key) ? 1 : 0)
                if let fault = difference(ended, stored, "the ends of \(key) after \(history.entries):") {
                    return fault
                }
            }
            return nil
        }

        private static func answer(_ call: Call, of table: MemoryTable<Int, Int>) -> Int? {
            switch call {
            case .store(let value, let key, let cost):
                return table.store(value, for: key, cost: cost, age: nil, keepsEnd: false) ? 1 : 0
            case .value(let key): return table.value(for: key)
            case .contains(let key): return table.contains(key) ? 1 : 0
            case .remove(let key): return table.remove(key)
            case .removeAll: table.removeAll()
            case .sweep(let cost): table.sweep(toCost: cost, count: .max, setsLimits: false)
            case .look:
                let statistics = table.statistics
                return statistics.count * 100 + statistics.cost
            }
            return nil
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `threads that use one table get the answers of one of the orders of their calls`() async {
        await Property(cases: 2_000) { Race(&$0) }.holds { await $0.fault() }
    }
}
