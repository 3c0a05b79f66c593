// SPDX-License-Identifier: MIT
/// What the command line asks for.
struct Options: Equatable {
    enum Topic: Equatable { case overview, all, lesson(Lesson.Kind, Double), mistakes, check, help }

    static let usage = """
        usage: lessons
               lessons --lesson N [--seed S]
               lessons --mistakes
               lessons --mistake N [--seed S]
               lessons --check [--seed S]
               lessons --all

        From a dictionary of tasks to InFlight, lesson by lesson. Without options: what
        there is, and what to do next.

          --lesson N   One lesson, 0.5 or 1 to 7: the fault, a seed that shows it, the
                       mend, its proof under 300 seeds, and what it costs.
          --mistakes   Five popular mistakes, each in a file that looks right.
          --mistake N  One mistake, 1 to 5: the bug in a sentence, its mend and proof.
          --check      Tries the table that you write in Examples/Lessons/Exercise.swift
                       up to the first promise that it breaks. Then the status is 1.
          --all        Every lesson.
          --seed S     Replays a lesson, a mistake or a check under this seed, as a
                       timeline. Equal seeds print equal timelines.
          --version    Prints the version.
          --help       Prints this.
        """

    var topic = Topic.overview
    var seed: UInt64?

    /// - Throws: ``UsageError`` with a message that says what to write instead.
    init(parsing words: [String]) throws(UsageError) {
        var words = words[...]
        var topics: [String] = []
        while let word = words.popFirst() {
            switch word {
            case "--lesson":
                topic = .lesson(
                    .lesson, try Self.number(words.popFirst(), Lesson.all, "--lesson needs 0.5 or a number from 1 to 7")
                )
            case "--mistake":
                topic = .lesson(
                    .mistake, try Self.number(words.popFirst(), Lesson.mistakes, "--mistake needs a number from 1 to 5")
                )
            case "--mistakes": topic = .mistakes
            case "--check": topic = .check
            case "--all": topic = .all
            case "--help", "-h": topic = .help
            case "--seed":
                guard let number = words.popFirst().flatMap({ UInt64($0) }) else {
                    throw UsageError(message: "--seed needs a whole number, 0 or more, such as --seed 17")
                }
                seed = number
                continue
            default:
                throw UsageError(message: "unknown word \(word.debugDescription); these are the ones:")
            }
            topics.append(word)
        }
        if topics.count > 1 { throw UsageError(message: "one at a time: \(topics.joined(separator: " or "))") }
        if seed != nil { try needsScenario() }
    }

    private func needsScenario() throws(UsageError) {
        switch topic {
        case .lesson, .check, .help: return
        default: throw UsageError(message: "--seed replays one scenario: add --lesson N, --mistake N or --check")
        }
    }

    private static func number(
        _ word: String?, _ lessons: [Lesson], _ need: String
    ) throws(UsageError) -> Double {
        let number = word.flatMap { Double($0.replacing("½", with: ".5")) }
        guard let number, lessons.contains(where: { $0.number == number }) else {
            throw UsageError(message: need + ", such as 3")
        }
        return number
    }
}

/// A command line that cannot be carried out.
struct UsageError: Error, Equatable {
    let message: String
}
