// SPDX-License-Identifier: MIT
import Foundation

/// From a dictionary of tasks to `InFlight` in six lessons.
///
/// Each lesson is a file beside this one: a whole table, which mends one fault of the table before. To read a lesson,
/// compare the two files.
@main
enum Lessons {
    /// What the command prints, and the status with which it ends.
    struct Answer {
        var status = EXIT_SUCCESS
        var output: [String] = []
        var errors: [String] = []
    }

    static func main() {
        let answer = answer(to: Array(CommandLine.arguments.dropFirst()))
        for line in answer.output { print(line) }
        FileHandle.standardError.write(Data(answer.errors.map { "\($0)\n" }.joined().utf8))
        exit(answer.status)
    }

    static func answer(to words: [String]) -> Answer {
        do {
            let options = try Options(parsing: words)
            if options.wantsHelp { return Answer(output: [Options.usage]) }
            guard let number = options.lesson else { return Answer(output: summaries(of: Lesson.all)) }
            let lesson = Lesson.all[number - 1]
            guard let seed = options.seed else { return Answer(output: summaries(of: [lesson])) }
            return Answer(output: Report.replay(of: lesson, seed: seed))
        } catch {
            return Answer(status: EX_USAGE, errors: ["lessons: \(error.message)", "", Options.usage])
        }
    }

    private static func summaries(of lessons: [Lesson]) -> [String] {
        let loads = (Step.all + [.inFlight]).map { step in { Cost.load(through: step, on: $0) } }
        let costs = Cost.measure([Cost.bareTask] + loads)
        #if DEBUG
        var lines = ["A debug build, whose figures say little: swift run -c release lessons", ""]
        #else
        var lines: [String] = []
        #endif
        for lesson in lessons {
            let (before, after) = (costs[lesson.number], costs[lesson.number + 1])
            lines += Report.summary(of: lesson, costs: (bare: costs[0], before: before, after: after)) + [""]
        }
        return lines + [Report.destination(costs[loads.count], bare: costs[0])]
    }
}
