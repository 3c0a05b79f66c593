// SPDX-License-Identifier: MIT
import Foundation

/// From a dictionary of tasks to `InFlight`, lesson by lesson.
///
/// Each lesson is a file beside this one: a whole table, which mends one fault of the table before. To read a lesson,
/// compare the two files.
@main
enum Lessons {
    static func main() {
        if Version.isPrinted(for: "lessons") { return }
        let (output, words) = (FileHandle.standardOutput, Array(CommandLine.arguments.dropFirst()))
        let watch = Watch(patience: .seconds(20)) {
            complain("\nlessons: This check did not end within 20 seconds. Is there a loop without an await?")
            exit(EXIT_FAILURE)
        }
        if words.contains("--check") { watch.begin() }
        // Each piece at once: an exercise may stop the program.
        let status = run(words) { piece in
            output.write(Data(piece.utf8))
            if words.contains("--check") { watch.begin() }
        } complain: {
            complain($0)
        }
        exit(status)
    }

    private static func complain(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }

    /// Carries out a command line.
    ///
    /// - Returns: The exit status: 0, 1 when the exercise breaks a promise, 64 when the words are not understood.
    static func run(_ words: [String], say: (String) -> Void, complain: (String) -> Void) -> Int32 {
        do {
            let options = try Options(parsing: words)
            let check = Check(step: .exercise)
            if options.topic == .check, options.seed == nil { return check.run(say) ? EXIT_SUCCESS : EXIT_FAILURE }
            for line in lines(options, check) { say(line + "\n") }
            return EXIT_SUCCESS
        } catch {
            complain("lessons: \(error.message)\n\n\(Options.usage)")
            return EX_USAGE
        }
    }

    private static func lines(_ options: Options, _ check: Check) -> [String] {
        switch options.topic {
        case .overview: return Report.overview
        case .help: return [Options.usage]
        case .mistakes: return Report.gallery
        case .check: return check.replay(seed: options.seed ?? 0)
        case .all: return summaries(of: Lesson.all, "--all")
        case .lesson(let kind, let number):
            let lessons = (kind == .lesson ? Lesson.all : Lesson.mistakes).filter { $0.number == number }
            if let seed = options.seed { return lessons.flatMap { Report.replay(of: $0, seed: seed) } }
            return kind == .lesson
                ? summaries(of: lessons, lessons[0].option) : lessons.flatMap { Report.summary(of: $0) }
        }
    }

    private static func summaries(of lessons: [Lesson], _ words: String) -> [String] {
        let steps = lessons.flatMap { [$0.before, $0.after] } + [.inFlight]
        let costs = Cost.measure([Cost.bareTask] + steps.map { step in { Cost.load(through: step, on: $0) } })
        let caveat = Cost.caveat(words).map { [$0, ""] } ?? []
        let summaries = lessons.enumerated().map { index, lesson in
            let costs = (bare: costs[0], before: costs[2 * index + 1], after: costs[2 * index + 2])
            return Report.summary(of: lesson, costs: costs)
        }
        if lessons.count == 1 { return caveat + summaries[0] }
        return caveat + summaries.flatMap { $0 + [""] } + Report.destination(costs[steps.count], bare: costs[0])
    }
}
