// SPDX-License-Identifier: MIT
/// A reader's table, tried by the scenarios of the lessons and of the mistakes.
struct Check {
    let step: Step

    /// Plays each scenario under all seeds, until a promise is broken.
    ///
    /// - Parameter say: Gets text piece by piece. A table that stops the program does so behind the name of its check.
    /// - Returns: Whether every promise is kept.
    func run(_ say: (String) -> Void) -> Bool {
        say("\(step), under \(Lesson.seeds.count) seeds each:\n\n")
        for lesson in Lesson.checks {
            say("  " + Report.padded(lesson.promise + " ", to: 70, with: "."))
            let failures = lesson.failures(of: step)
            say(failures.isEmpty ? " kept\n" : " BROKEN\n")
            if let seed = failures.first {
                say(text([""] + advice(lesson, seed, failures.count)))
                return false
            }
        }
        say(text([""] + congratulation))
        return true
    }

    /// The first scenario whose promise the table breaks under the seed, as a timeline.
    func replay(seed: UInt64) -> [String] {
        for lesson in Lesson.checks {
            let performance = lesson.play(step, seed: seed)
            guard performance.broken != nil else { continue }
            return ["\(step), under seed \(seed)", "\(lesson.promise):", ""] + performance.timeline.lines + [""]
                + Report.outcome(performance)
        }
        return ["Under seed \(seed) every promise is kept. All seeds: swift run lessons --check"]
    }

    private func advice(_ lesson: Lesson, _ seed: UInt64, _ count: Int) -> [String] {
        let performance = lesson.play(step, seed: seed)
        var lines = Report.row("broken", performance.broken ?? "nothing, when the same seed was played again")
        lines += Report.row("seed", "\(seed); \(count) of \(Lesson.seeds.count) seeds fail")
        if performance.broken == nil {
            lines += Report.row("hint", "A task runs elsewhere. Name the executor for each task.")
        } else if let caller = performance.waiting.first {
            let question = "Was an event lost? Or does a task run elsewhere, because it does not name the executor?"
            lines += Report.row("hint", "\(caller) never ended. \(question)")
        }
        lines += Report.row("replay", "swift run lessons --check --seed \(seed)")
        return lines + Report.row("stuck?", "\(lesson): \(lesson.after)")
    }

    private var congratulation: [String] {
        let steps = [("yours", step), ("lesson 6", Step.all[6]), ("InFlight", .inFlight)]
        let costs = Cost.measure([Cost.bareTask] + steps.map { _, step in { Cost.load(through: step, on: $0) } })
        var lines = ["Every promise is kept, under every seed. Congratulations! What a load costs:", ""]
        for ((name, _), cost) in zip(steps, costs.dropFirst()) {
            lines += Report.row(name, Report.text(cost, costs[0]))
        }
        if let caveat = Cost.caveat("--check") { lines += ["", caveat] }
        return lines + ["", "How: Sources/TaskCoordination/InFlight, and the tour in DesignNotes.md"]
    }

    private func text(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
}
