// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import TaskCoordination

/// Callers that take slots, wait, leave and are cancelled at once, on threads: an order of their steps explains what
/// each has seen.
struct SlotsOrderTests {
    private struct Caller: Sendable {
        let delay: Int
        let priority: TaskPriority
        /// How often its body gives way to other tasks.
        let yields: Int
        /// When it is cancelled; `nil` for never.
        let cancellation: Int?

        init(_ draw: inout Generator) {
            delay = draw.number(0...120)
            priority = draw.oneOf([.medium, .high, .low])
            yields = draw.number(0...3)
            cancellation = draw.isTrue(oneIn: 3) ? draw.number(0...200) : nil
        }
    }

    /// What another thread does.
    private enum Deed: Sendable {
        case limit(Int), close, look

        init(_ draw: inout Generator) {
            self = draw.isTrue(oneIn: 4) ? .close : draw.isTrue() ? .limit(draw.number(1...3)) : .look
        }
    }

    private struct Race: Sendable {
        let callers: [Caller]
        let deeds: [(delay: Int, deed: Deed)]
        let limit: Int
        let capacity: Int

        init(_ draw: inout Generator) {
            callers = draw.list(2...5) { Caller(&$0) }
            deeds = draw.list(0...2) { ($0.number(0...200), Deed(&$0)) }
            limit = draw.number(1...2)
            capacity = draw.oneOf([10, 2, 1, 0])
        }

        func fault() async -> String? {
            let cancelled = callers.enumerated().filter { $0.element.cancellation != nil }
            let (history, line) = (History<SlotStep>(), StartLine(callers.count + cancelled.count + deeds.count))
            let slots = Slots(limit: limit, maximumQueueLength: capacity)
            await withDiscardingTaskGroup { group in
                let tasks = callers.enumerated().map { number, caller in
                    Task.detached {
                        line.wait(turns: caller.delay)
                        await Self.call(number, caller, slots, history)
                    }
                }
                for (number, caller) in cancelled {
                    group.addTask {
                        line.wait(turns: caller.cancellation ?? 0)
                        history.write(.cancel(number)) { tasks[number].cancel() }
                    }
                }
                for (delay, deed) in deeds {
                    group.addTask {
                        line.wait(turns: delay)
                        Self.perform(deed, slots, history)
                    }
                }
                for task in tasks { await task.value }
            }
            let left = slots.entryCount
            return history.fault(from: SlotsModel(callers: callers.count, limit: limit, capacity: capacity))
                ?? unless(left == 0, "\(left) entries are left")
        }

        private static func perform(_ deed: Deed, _ slots: Slots, _ history: History<SlotStep>) {
            switch deed {
            case .close: history.write(.close) { slots.close() }
            case .limit(let limit):
                history.write(.limit(limit)) { slots.change(SlotSettings(limit: limit)) }
            case .look:
                history.write({ slots.running }, as: { .running($0) })
                history.write({ slots.queued }, as: { .queued($0) })
            }
        }

        private static func call(_ number: Int, _ caller: Caller, _ slots: Slots, _ history: History<SlotStep>) async {
            let begun = history.now
            let inside = Journal<Int>()
            var refusal: SlotStep?
            do {
                try await slots.withSlot(priority: caller.priority) {
                    inside.write(history.now)
                    for _ in 0..<caller.yields { await Task.yield() }
                    inside.write(history.now)
                }
            } catch let error as CoordinationError {
                refusal = .refused(number, isClosed: error.code == .shutDown)
            } catch {
                refusal = .cancelled(number)
            }
            let (ended, times) = (history.now, inside.entries)
            history.write(.ask(number, priority: caller.priority.rawValue), since: begun, until: times.first ?? ended)
            if let refusal { history.write(refusal, since: begun, until: ended) }
            guard times.count == 2 else { return }
            history.write(.enter(number), since: begun, until: times[0])
            history.write(.exit(number), since: times[1], until: ended)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `callers on threads get slots in one of the orders that their steps allow`() async {
        await Property(cases: 4_000) { Race(&$0) }.holds { await $0.fault() }
    }

    @Test func `the model of slots refuses what no order explains`() {
        typealias Steps = [(SlotStep, ClosedRange<Int>)]
        func hasOrder(_ first: Steps, _ rest: Steps) -> Bool {
            let history = History<SlotStep>()
            for (step, time) in first + rest { history.write(step, since: time.lowerBound, until: time.upperBound) }
            return history.fault(from: SlotsModel(callers: 3, limit: 1, capacity: 2)) == nil
        }
        let waiting: Steps = [
            (.ask(0, priority: 1), 1...1), (.enter(0), 2...2), (.ask(1, priority: 1), 3...3),
            (.ask(2, priority: 9), 4...4),
        ]
        expect(hasOrder(waiting, [(.exit(0), 5...5), (.enter(2), 6...6), (.exit(2), 7...7), (.enter(1), 8...8)]))
        // Two at once, the less urgent first, and a slot that is not passed on.
        expect(!hasOrder(waiting, [(.enter(2), 5...5)]))
        expect(!hasOrder(waiting, [(.exit(0), 5...5), (.enter(1), 6...6), (.exit(1), 7...7), (.enter(2), 8...8)]))
        expect(!hasOrder(waiting, [(.exit(0), 5...5), (.running(0), 6...6)]))
    }
}
