// SPDX-License-Identifier: MIT
extension Report {
    /// What there is, and what to do next.
    static var overview: [String] {
        let introduction = """
            Many callers want the same picture at the same moment, and one download can serve them all. The first \
            draft is an actor with a dictionary of tasks: Examples/Lessons/Lesson0TaskDictionary.swift. Each lesson \
            is a file beside it, of at most 90 lines, that mends one fault. A seed draws the order in which jobs run, \
            so each failure has a number.
            """
        let steps = [
            ("See a failure, job by job, and what became of it:", "swift run lessons --lesson 3 --seed 17"),
            (
                "Read the two files that it names. What the mend proves, and what it costs:",
                "swift run lessons --lesson 3"
            ),
            ("Find the bugs in five files that look right:", "swift run lessons --mistakes"),
            ("Write a table of your own in Examples/Lessons/Exercise.swift:", "swift run lessons --check"),
            ("See all lessons, in a build whose figures say something:", "swift run -c release lessons --all"),
        ]
        var lines = ["From a dictionary of tasks to InFlight", ""]
        lines += wrapped(introduction, width: 80) + [""]
        lines += Lesson.all.map { "  \(padded($0.name, to: 12))\($0.title)" }
        lines += ["", "What to do next", ""]
        for (number, step) in steps.enumerated() { lines += ["  \(number + 1)  \(step.0)", "       \(step.1)"] }
        lines.append("  \(steps.count + 1)  Read the article, and walk through the sources in twenty minutes:")
        return lines + ["Sources/TaskCoordination/TaskCoordination.docc/FromATaskDictionaryToInFlight.md"]
    }

    /// The popular mistakes, each with its file, what it breaks and the command that shows how.
    static var gallery: [String] {
        var lines = ["Five popular mistakes. Each file looks right: find the bug, then replay it.", ""]
        for mistake in Lesson.mistakes {
            lines.append(mistake.description)
            lines += row("file", "\(mistake.before)")
            lines += row("breaks", mistake.promise + ".")
            lines += row("replay", command(mistake, mistake.failingSeed)) + [""]
        }
        return lines + ["The end of each file says what is wrong. Proof: swift run lessons --mistake 1"]
    }
}
