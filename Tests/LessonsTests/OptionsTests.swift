// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import lessons

struct OptionsTests {
    @Test func `a lesson and a seed are understood in either order, and without words there is an overview`() throws {
        let none = try Options(parsing: [])
        expectAll(none.topic == .overview, none.seed == nil)
        let options = try Options(parsing: ["--lesson", "3", "--seed", "17"])
        expectEqual(options.topic, .lesson(.lesson, 3))
        expectEqual(options.seed, 17)
        try expectEqual(Options(parsing: ["--seed", "17", "--lesson", "3"]), options)
        for half in ["0.5", "0½"] {
            try expectEqual(Options(parsing: ["--lesson", half]).topic, .lesson(.lesson, 0.5))
        }
        try expectEqual(Options(parsing: ["--mistake", "5"]).topic, .lesson(.mistake, 5))
        try expectEqual(Options(parsing: ["--help"]).topic, .help)
    }

    @Test(arguments: [
        (["--lesson"], "--lesson needs 0.5 or a number from 1 to 7, such as 3"),
        (["--lesson", "0"], "--lesson needs 0.5 or a number from 1 to 7, such as 3"),
        (["--lesson", "nan"], "--lesson needs 0.5 or a number from 1 to 7, such as 3"),
        (["--lesson", "8"], "--lesson needs 0.5 or a number from 1 to 7, such as 3"),
        (["--mistake", "0.5"], "--mistake needs a number from 1 to 5, such as 3"),
        (["--lesson", "3", "--seed", "-1"], "--seed needs a whole number, 0 or more, such as --seed 17"),
        (["--lesson", "3", "--seed"], "--seed needs a whole number, 0 or more, such as --seed 17"),
        (["--seed", "17"], "--seed replays one scenario: add --lesson N, --mistake N or --check"),
        (["--all", "--seed", "17"], "--seed replays one scenario: add --lesson N, --mistake N or --check"),
        (["--lesson", "3", "--check"], "one at a time: --lesson or --check"),
        (["3"], "unknown word \"3\"; these are the ones:"),
        (["--\u{1B}[31m"], "unknown word \"--\\u{1B}[31m\"; these are the ones:"),
    ])
    func `a command line that cannot be carried out says what to write, with status 64`(
        words: [String], message: String
    ) {
        #expect(throws: UsageError(message: message)) { try Options(parsing: words) }
        let answer = Answer(to: words)
        expectEqual(answer.status, 64)
        expectEqual(answer.errors.first, "lessons: " + message)
        expectEqual(answer.output, [""])
    }

    @Test func `all lessons name their fault, their seed and their cost`() {
        let answer = Answer(to: ["--all"])
        expectEqual(answer.status, 0)
        for lesson in Lesson.all {
            expect(answer.output.contains(lesson.description))
            let command = "swift run lessons \(lesson.option) --seed \(lesson.failingSeed)"
            expect(answer.output.contains { $0.hasSuffix(command) })
        }
        expectEqual(answer.output.count { $0.hasPrefix("  proof    300 of 300 seeds pass") }, 8)
        expectEqual(answer.output.count { $0.hasPrefix("  cost") }, 9)
    }

    @Test func `without words every lesson and each next step is named, and the command is understood`() throws {
        let answer = Answer(to: [])
        for lesson in Lesson.all { expect(answer.output.contains { $0.contains(lesson.title) }) }
        let commands = answer.output.filter { $0.hasPrefix("       swift run") }.map {
            $0.split(separator: " ").drop { $0 != "lessons" }.dropFirst().map(String.init)
        }
        expectEqual(commands.count, 5)
        for command in commands { _ = try Options(parsing: command) }
    }

    @Test func `the mistakes are listed with their files, and not with what is wrong in them`() {
        let answer = Answer(to: ["--mistakes"])
        for mistake in Lesson.mistakes {
            expect(answer.output.contains("  file     \(mistake.before)"))
            #expect(
                answer.output.contains("  replay   swift run lessons \(mistake.option) --seed \(mistake.failingSeed)"))
        }
        expectEqual(Answer(to: ["--mistake", "1"]).output.first, Lesson.mistakes[0].description)
    }

    @Test(
        arguments: [["--all"], ["--mistakes"], ["--help"], [], ["--check"], ["--check", "--seed", "1"]]
            + (Lesson.all + Lesson.mistakes).map {
                $0.option.split(separator: " ").map(String.init) + ["--seed", "17"]
            }
            + Lesson.mistakes.map { $0.option.split(separator: " ").map(String.init) })
    func `every line fits into 80 columns`(words: [String]) {
        for line in Answer(to: words).output { expect(line.count, <=, 80) }
    }
}

/// What the command prints, and the status with which it ends.
struct Answer {
    let status: Int32
    let output: [String]
    let errors: [String]

    init(to words: [String]) {
        var (output, errors) = ("", "")
        status = Lessons.run(words, say: { output += $0 }, complain: { errors += $0 })
        self.output = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        self.errors = errors.split(separator: "\n").map(String.init)
    }
}
