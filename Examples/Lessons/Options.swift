// SPDX-License-Identifier: MIT
/// What the command line asks for.
struct Options: Equatable {
    static let usage = """
        Usage: lessons [--lesson N [--seed S]]

        From a dictionary of tasks to InFlight in six lessons. Each shows the fault of the step before, a seed under which
        it happens, that its own step passes, and what a load costs.

          --lesson N   One lesson, 1 to 6. All of them by default.
          --seed S     Replays the lesson under this seed, as a timeline of the step before and of its own step.
          --help       Prints this.
        """

    var lesson: Int?
    var seed: UInt64?
    var wantsHelp = false

    /// - Throws: ``UsageError`` with a message that says what to write instead.
    init(parsing words: [String]) throws(UsageError) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--lesson":
                guard let number = words.popFirst().flatMap({ Int($0) }), (1...6).contains(number) else {
                    throw UsageError(message: "--lesson needs a number from 1 to 6, such as --lesson 3")
                }
                lesson = number
            case "--seed":
                guard let number = words.popFirst().flatMap({ UInt64($0) }) else {
                    throw UsageError(message: "--seed needs a whole number, 0 or more, such as --seed 17")
                }
                seed = number
            case "--help", "-h": wantsHelp = true
            default:
                throw UsageError(message: "unknown option \(word.debugDescription); write --lesson N or --seed S")
            }
        }
        if seed != nil, lesson == nil {
            throw UsageError(message: "--seed replays one lesson: add --lesson and a number from 1 to 6")
        }
    }
}

/// A command line that cannot be carried out.
struct UsageError: Error, Equatable {
    let message: String
}
