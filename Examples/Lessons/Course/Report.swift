// SPDX-License-Identifier: MIT
import Foundation

/// The course as text.
enum Report {
    /// A lesson in short: the fault, the seed that shows it, the mend, the proof, and what a load costs.
    ///
    /// - Parameter costs: Those of a bare task, of the step before and of this step.
    static func summary(of lesson: Lesson, costs: (bare: Cost, before: Cost, after: Cost)) -> [String] {
        let (failures, count) = (lesson.failures(of: lesson.before), Lesson.seeds.count)
        let broken = lesson.play(lesson.before, seed: lesson.failingSeed).broken ?? "nothing; this seed should fail"
        return [
            "\(lesson)",
            "  before  \(lesson.before.file)",
            "  fault   \(lesson.fault)",
            "  seed    \(lesson.failingSeed): \(broken)",
            "          \(failures.count) of \(count) seeds fail; replay: \(command(lesson))",
            "  after   \(lesson.after.file)",
            "  mend    \(lesson.mend)",
            "  proof   \(count - lesson.failures(of: lesson.after).count) of \(count) seeds pass",
            "  cost    \(text(costs.after, costs.bare)); before: \(text(costs.before, costs.bare))",
        ]
    }

    /// The scenario of a lesson under one seed, as a timeline for the step before and one for this step.
    static func replay(of lesson: Lesson, seed: UInt64) -> [String] {
        ["\(lesson), under seed \(seed)"]
            + [("Before", lesson.before), ("After", lesson.after)].flatMap { name, step in
                let performance = lesson.play(step, seed: seed)
                let outcome = performance.broken.map { "Broken: \($0)." } ?? "Every promise is kept."
                return ["", "\(name), \(step.file):", ""] + performance.timeline.lines + ["", outcome]
            } + hint(lesson, seed)
    }

    /// The last line of the course.
    static func destination(_ cost: Cost, bare: Cost) -> String {
        let task = String(format: "%.1f µs and %d jobs", bare.microseconds, bare.jobs)
        return "\(Step.inFlight.file): \(text(cost, bare)). A bare task that a caller waits for: \(task)."
    }

    private static func hint(_ lesson: Lesson, _ seed: UInt64) -> [String] {
        guard lesson.play(lesson.before, seed: seed).broken == nil else { return [] }
        return ["", "Under this seed the step before does not fail. Try: \(command(lesson))"]
    }

    private static func command(_ lesson: Lesson) -> String {
        "swift run lessons --lesson \(lesson.number) --seed \(lesson.failingSeed)"
    }

    private static func text(_ cost: Cost, _ bare: Cost) -> String {
        String(
            format: "%.1f µs and %d jobs, %.1f times a bare task", cost.microseconds, cost.jobs,
            cost.microseconds / bare.microseconds)
    }
}
