// SPDX-License-Identifier: MIT
import TaskCoordination
import TestSupport
import Testing
import WebImageTesting

@testable import lessons

/// The check of the exercise, which here holds the table of each lesson in turn.
struct CheckTests {
    @Test(arguments: zip(Step.all.dropLast(), Lesson.course))
    func `with the table of a lesson the check ends at what the next lesson mends`(step: Step, next: Lesson) throws {
        let (isKept, lines) = check(step)
        expect(!isKept)
        let rows = lines.filter { $0.hasSuffix(" kept") || $0.hasSuffix(" BROKEN") }
        let count = try required(Lesson.checks.firstIndex { $0.title == next.title }) + 1
        expectEqual(rows.count, count)
        expect(rows.dropLast().allSatisfy { $0.hasSuffix(" kept") })
        expectEqual(rows.last?.hasPrefix("  \(next.promise) ."), true)
        expect(lines.contains { $0.hasPrefix("  stuck?   \(next):") })
        let seed = try required(next.failures(of: step).first)
        expect(lines.contains("  replay   swift run lessons --check --seed \(seed)"))
        // The command shows the failure of which the check has told.
        let replay = Check(step: step).replay(seed: seed)
        expect(replay.contains(next.promise + ":"))
        expectEqual(replay.contains { $0.hasPrefix("Broken: ") }, true)
    }

    @Test(arguments: [Step.all[6], .inFlight])
    func `with the last table every promise is kept, and the costs are shown beside those of InFlight`(step: Step) {
        let (isKept, lines) = check(step)
        expect(isKept)
        expectEqual(lines.count { $0.hasSuffix(" kept") }, Lesson.checks.count)
        for name in ["yours", "lesson 6", "InFlight"] {
            expectEqual(lines.count { $0.hasPrefix("  \(name) ") && $0.hasSuffix("times a bare task") }, 1)
        }
        expect(Check(step: step).replay(seed: 17)[0].hasPrefix("Under seed 17 every promise is kept."))
    }

    @Test(arguments: zip(Step.mistakes.prefix(3), Lesson.mistakes))
    func `with a popular mistake the check ends at the promise that it breaks`(step: Step, mistake: Lesson) {
        expect(check(step).lines.contains { $0.hasPrefix("  \(mistake.promise) .") && $0.hasSuffix("BROKEN") })
    }

    @Test func `a table that shares nothing breaks the first promise, and is told where to look`() {
        let (isKept, lines) = check(Step("Alone") { _, _ in Alone() })
        expect(!isKept)
        expectEqual(lines.filter { $0.hasSuffix("BROKEN") }.count, 1)
        expect(lines.contains("  broken   2 flights began for one key"))
        expect(lines.contains { $0.contains("Lesson0TaskDictionary.swift") })
    }

    @Test func `a table that asks again and again is stopped`() {
        let (isKept, lines) = check(Step("Restless") { _, _ in Restless() })
        expect(!isKept)
        expect(lines.contains("  broken   after 10000 steps there is no end in sight"))
    }

    @Test func `a table whose callers sleep for ever gets a hint`() {
        let (isKept, lines) = check(Step("Silent") { _, _ in Silent() })
        expect(!isKept)
        expect(lines.contains { $0.hasPrefix("  hint     caller A never ended.") })
    }

    @Test func `a table that does not repeat itself under equal seeds gets a hint`() {
        let slots = Slots(limit: 1)
        let tables = Journal<Int>()
        let (isKept, lines) = check(
            Step("Moody") { executor, _ in
                tables.write(1)
                return tables.count == 1 ? Alone() : Step.inFlight.makeTable(executor, slots)
            })
        expect(!isKept)
        expect(lines.contains("  hint     A task runs elsewhere. Name the executor for each task."))
    }

    private func check(_ step: Step) -> (isKept: Bool, lines: [String]) {
        var text = ""
        let isKept = Check(step: step).run { text += $0 }
        for line in text.split(separator: "\n") { expect(line.count, <=, 80) }
        return (isKept, text.split(separator: "\n").map(String.init))
    }
}

extension Step {
    fileprivate init(_ name: String, _ makeTable: @escaping MakeTable) {
        self.init(path: name, type: nil, makeTable: makeTable)
    }
}

/// What the exercise does as it is printed.
private struct Alone: OncePerKey {
    func value(
        for key: String, hearing onProgress: @escaping @Sendable (Int) -> Void, operation: @escaping Reporting
    ) async throws -> Int {
        try await operation(onProgress)
    }
}

private struct Restless: WithoutReports {
    func value(for key: String, operation: @escaping Operation) async throws -> Int {
        while true { await Task.yield() }
    }
}

private struct Silent: WithoutReports {
    func value(for key: String, operation: @escaping Operation) async throws -> Int {
        await OneShot<Int>().wait()
    }
}
