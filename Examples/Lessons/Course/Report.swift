// SPDX-License-Identifier: MIT
import Foundation

/// The course as text of 80 columns.
enum Report {
    /// A lesson in short: the fault, the seed that shows it, the mend and the proof.
    ///
    /// - Parameter costs: Those of a bare task, of the table before and of the one after, where they are of interest.
    static func summary(of lesson: Lesson, costs: (bare: Cost, before: Cost, after: Cost)? = nil) -> [String] {
        let (failures, count) = (lesson.failures(of: lesson.before).count, Lesson.seeds.count)
        let broken = lesson.play(lesson.before, seed: lesson.failingSeed).broken ?? "nothing; this seed should fail"
        var lines = ["\(lesson)"] + row("before", "\(lesson.before)") + row("fault", lesson.fault)
        lines += row("seed", "\(lesson.failingSeed): \(broken)") + row("", "\(failures) of \(count) seeds fail")
        lines += row("after", "\(lesson.after)") + row("mend", lesson.mend)
        lines += row("proof", "\(count - lesson.failures(of: lesson.after).count) of \(count) seeds pass")
        if let costs {
            lines += row("cost", text(costs.after, costs.bare)) + row("", "before: " + text(costs.before, costs.bare))
            lines += row("", lesson.measured ?? "")
        }
        return lines + row("replay", command(lesson, lesson.failingSeed))
    }

    /// The scenario of a lesson under one seed, as a timeline for the table before and one for the table after.
    static func replay(of lesson: Lesson, seed: UInt64) -> [String] {
        var lines = ["\(lesson), under seed \(seed)"]
        for (name, step) in [("Before", lesson.before), ("After", lesson.after)] {
            let performance = lesson.play(step, seed: seed)
            lines += ["", "\(name), \(step):", ""] + performance.timeline.lines + [""] + outcome(performance)
        }
        guard lesson.play(lesson.before, seed: seed).broken == nil else { return lines }
        return lines + ["", "Under this seed the table before does not fail. One under which it does:"]
            + ["  " + command(lesson, lesson.failingSeed)]
    }

    /// What became of a scenario.
    static func outcome(_ performance: Lesson.Performance) -> [String] {
        wrapped(performance.broken.map { "Broken: \($0)." } ?? "Every promise is kept.", width: 80)
    }

    /// The last lines of the course.
    static func destination(_ cost: Cost, bare: Cost) -> [String] {
        ["InFlight"] + row("file", "\(Step.inFlight)") + row("cost", text(cost, bare))
            + row("", String(format: "a bare task: %.1f µs and %d jobs", bare.microseconds, bare.jobs))
    }

    static func text(_ cost: Cost, _ bare: Cost) -> String {
        String(
            format: "%.1f µs and %d jobs, %.1f times a bare task", cost.microseconds, cost.jobs,
            cost.microseconds / bare.microseconds)
    }

    static func command(_ lesson: Lesson, _ seed: UInt64) -> String {
        "swift run lessons \(lesson.option) --seed \(seed)"
    }

    /// A name at the left and text beside it, in as many lines as it needs.
    static func row(_ name: String, _ text: String) -> [String] {
        wrapped(text, width: 69).enumerated().map { number, line in
            "  " + padded(number == 0 ? name : "", to: 9) + line
        }
    }

    static func padded(_ text: String, to width: Int, with character: Character = " ") -> String {
        text + String(repeating: character, count: max(0, width - text.count))
    }

    /// Text in lines of at most so many characters. A longer word has a line of its own.
    static func wrapped(_ text: String, width: Int) -> [String] {
        text.split(separator: " ").reduce(into: [String]()) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
