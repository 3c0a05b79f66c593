// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import lessons

struct OptionsTests {
    @Test func `a lesson and a seed are understood in either order, and without words all lessons are shown`() throws {
        let none = try Options(parsing: [])
        #expect(none.lesson == nil && none.seed == nil && !none.wantsHelp)
        let options = try Options(parsing: ["--lesson", "3", "--seed", "17"])
        expectEqual(options.lesson, 3)
        expectEqual(options.seed, 17)
        try expectEqual(Options(parsing: ["--seed", "17", "--lesson", "3"]), options)
        try expect(Options(parsing: ["--help"]).wantsHelp)
    }

    @Test(arguments: [
        (["--lesson"], "--lesson needs a number from 1 to 6, such as --lesson 3"),
        (["--lesson", "0"], "--lesson needs a number from 1 to 6, such as --lesson 3"),
        (["--lesson", "7"], "--lesson needs a number from 1 to 6, such as --lesson 3"),
        (["--lesson", "3", "--seed", "-1"], "--seed needs a whole number, 0 or more, such as --seed 17"),
        (["--lesson", "3", "--seed"], "--seed needs a whole number, 0 or more, such as --seed 17"),
        (["--seed", "17"], "--seed replays one lesson: add --lesson and a number from 1 to 6"),
        (["3"], "unknown option \"3\"; write --lesson N or --seed S"),
    ])
    func `a command line that cannot be carried out says what to write, with status 64`(
        words: [String], message: String
    ) {
        #expect(throws: UsageError(message: message)) { try Options(parsing: words) }
        let answer = Lessons.answer(to: words)
        expectEqual(answer.status, 64)
        expectEqual(answer.errors.first, "lessons: " + message)
        expect(answer.output.isEmpty)
    }

    @Test func `without a seed each lesson names its fault, its seed and its cost`() {
        let answer = Lessons.answer(to: [])
        expectEqual(answer.status, 0)
        for lesson in Lesson.all {
            #expect(answer.output.contains(lesson.description))
            expect(answer.output.contains { $0.hasSuffix("--lesson \(lesson.number) --seed \(lesson.failingSeed)") })
        }
        expectEqual(answer.output.count { $0.hasPrefix("  proof   300 of 300 seeds pass") }, 6)
        expectEqual(answer.output.count { $0.hasPrefix("  cost") }, 6)
    }
}
