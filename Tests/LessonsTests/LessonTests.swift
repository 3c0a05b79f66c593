// SPDX-License-Identifier: MIT
import Foundation
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import lessons

@TaskLocal private var tenant = "none"

@Suite(.replayed)
struct LessonTests {
    @Test(arguments: Lesson.all + Lesson.mistakes)
    func `the table before fails under the seed that is named, and the one after under none`(
        lesson: Lesson
    ) {
        let performance = lesson.play(lesson.before, seed: lesson.failingSeed)
        expect(performance.broken != nil)
        expectEqual(lesson.failures(of: lesson.after), [])
    }

    @Test(arguments: Lesson.course) func `a step keeps its promise under every seed, and so do all later ones`(
        lesson: Lesson
    ) {
        for step in Step.all[Int(lesson.number)...] + [.inFlight] {
            expectEqual(lesson.failures(of: step), [], "\(step)")
        }
    }

    @Test(arguments: Step.all + [.inFlight]) func `every table of the course keeps what the popular mistakes break`(
        step: Step
    ) {
        for mistake in Lesson.mistakes.prefix(3) { expectEqual(mistake.failures(of: step), [], "\(mistake)") }
        // Identity comes with lesson 3.
        let hasIdentity = Step.all.firstIndex { $0.path == step.path }.map { $0 >= 3 } ?? true
        if hasIdentity { expectEqual(Lesson.mistakes[3].failures(of: step), []) }
    }

    @Test(arguments: Step.all, seeds) func `no step lets one caller's cancellation end another one's wait`(
        step: Step, seed: UInt64
    ) {
        let (stage, gate) = (Stage(SeededExecutor(seed: seed)) { step.makeTable($0, Slots(limit: 2)) }, Gate())
        let operation = stage.flight { _, _ in
            await gate.pass()
            return 1
        }
        let (leaving, staying) = (
            stage.call("leaving", operation: operation), stage.call("staying", operation: operation)
        )
        stage.run()
        stage.cancel(leaving)
        stage.run()
        gate.open()
        stage.run()
        expectEqual(staying.probe.value, 1)
    }

    @Test func `lesson 1 brings the fault of lesson 4: to wait for a handle escalates its task`() {
        expect(Lesson.course[3].failures(of: Step.all[0]).isEmpty)
        expect(!Lesson.course[3].failures(of: Step.all[1]).isEmpty)
    }

    @Test(arguments: Step.all, seeds) func `every step shares an operation, and neither its value nor its error later`(
        step: Step, seed: UInt64
    ) {
        let (stage, gate) = (Stage(SeededExecutor(seed: seed)) { step.makeTable($0, Slots(limit: 2)) }, Gate())
        let failing = (0..<3).map { number in
            stage.call("caller \(number)") { _ in
                stage.timeline.note(stage.timeline.nextFlight(), "begins")
                await gate.pass()
                throw Broken()
            }
        }
        stage.run()
        expectEqual(stage.timeline.flights(that: "begins"), ["flight 1"])
        gate.open()
        stage.run()
        expect(failing.allSatisfy { $0.probe.error is Broken })
        for round in 1...2 {
            let callers = (0..<3).map { stage.call("caller \($0)", operation: stage.flight { _, _ in round }) }
            stage.run()
            expect(callers.allSatisfy { $0.probe.value == round })
        }
    }

    @Test(arguments: Step.all[4...], seeds.prefix(50))
    func `from lesson 4 on, no caller's task-local values govern a flight`(
        step: Step, seed: UInt64
    ) {
        let (stage, seen) = (
            Stage(SeededExecutor(seed: seed)) { step.makeTable($0, Slots(limit: 2)) }, Journal<String>()
        )
        let caller = $tenant.withValue("first") {
            stage.call("caller") { _ in
                seen.write(tenant)
                return 1
            }
        }
        stage.run()
        expectEqual(caller.probe.value, 1)
        expectEqual(seen.entries, ["none"])
    }

    @Test(arguments: Lesson.all + Lesson.mistakes) func `equal seeds replay equal timelines`(lesson: Lesson) {
        for seed in Lesson.seeds.prefix(20) {
            expectEqual(Report.replay(of: lesson, seed: seed), Report.replay(of: lesson, seed: seed))
        }
    }

    @Test(arguments: Step.all + [.wait, .structured] + Step.mistakes)
    func `each lesson is a file of at most 90 lines, and each mistake one of 40`(step: Step) throws {
        let text = try text(of: step.path)
        let limit = step.path.contains("Mistakes/") ? 40 : 90
        expect(text.split(separator: "\n", omittingEmptySubsequences: false).count, <=, limit + 1, "and its last end")
        // No lesson may escape the compiler's checks.
        for escape in ["@unchecked", "nonisolated(unsafe)"] { expect(!text.contains(escape)) }
    }

    @Test func `the draft and the mend of lesson 0½ are sixty lines of code`() throws {
        let lines = try text(of: Step.wait.path).split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
        expect(lines.count { !$0.isEmpty && !$0.hasPrefix("//") }, <=, 60)
    }

    @Test func `a timeline tells what went wrong`() throws {
        let lines = Report.replay(of: Lesson.course[2], seed: 17)
        let after = try required(lines.firstIndex { $0.hasPrefix("After") })
        expect(lines[..<after].contains { $0.hasSuffix("caller B  ends with CancellationError") })
        expect(lines[..<after].contains("Broken: caller B was never cancelled, and ended with CancellationError."))
        expect(lines[after...].contains { $0.hasSuffix("caller B  gets 1") })
        expectEqual(lines.last, "Every promise is kept.")
    }

    @Test func `a seed that shows nothing names one that does`() {
        let lines = Report.replay(of: Lesson.course[2], seed: 0)
        expectEqual(lines.last?.hasSuffix("swift run lessons --lesson 3 --seed 17"), true)
    }

    private func text(of file: String) throws -> String {
        let tests = URL(filePath: #filePath).deletingLastPathComponent()
        return try String(contentsOf: tests.appending(path: "../../\(file)"), encoding: .utf8)
    }

    @Test func `the lock costs fewer jobs than the actor, and no more than a bare task`() {
        let loads = [Step.all[5], Step.all[6]].map { step in { Cost.load(through: step, on: $0) } }
        let costs = Cost.measure([Cost.bareTask] + loads)
        expect(costs[2].jobs, <, costs[1].jobs)
        expect(costs[2].jobs, <=, costs[0].jobs)
    }
}
