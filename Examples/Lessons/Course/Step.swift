// SPDX-License-Identifier: MIT
import TaskCoordination

/// One table of the course.
struct Step: Sendable, CustomStringConvertible {
    typealias MakeTable = @Sendable (_ executor: any TaskExecutor, _ slots: Slots) -> any OncePerKey

    /// The file in which the table is written, as a path in the package.
    let path: String
    /// The type, where the file has several.
    let type: String?
    let makeTable: MakeTable

    var description: String { path + (type.map { ", \($0)" } ?? "") }

    /// The draft, and what each of the lessons 1 to 6 makes of it.
    static let all = [
        lesson("Lesson0TaskDictionary") { executor, _ in Lesson0.Flights<String, Int>(executor: executor) },
        lesson("Lesson1OneWaiterCancels") { executor, _ in Lesson1.Flights<String, Int>(executor: executor) },
        lesson("Lesson2LastOneOut") { executor, _ in Lesson2.Flights<String, Int>(executor: executor) },
        lesson("Lesson3DoomedFlight") { executor, _ in Lesson3.Flights<String, Int>(executor: executor) },
        lesson("Lesson4Priority") { executor, _ in Lesson4.Flights<String, Int>(executor: executor) },
        lesson("Lesson5Progress") { executor, _ in Lesson5.Flights<String, Int, Int>(executor: executor) },
        lesson("Lesson6SlotsAndMutex") { Lesson6.Flights<String, Int, Int>(executor: $0, slots: $1) },
    ]

    /// The two halves of lesson 0½, and of lesson 7.
    static let lossyWait = lesson("Lesson0AndAHalfOneWait", "Draft") { executor, _ in
        OneWait<Lesson0AndAHalf.Draft>(executor: executor)
    }
    static let wait = lesson("Lesson0AndAHalfOneWait", "Wait") { executor, _ in
        OneWait<Lesson0AndAHalf.Wait>(executor: executor)
    }
    static let loose = lesson("Lesson7Structure", "Draft") { executor, _ in Lesson7.Draft(executor: executor) }
    static let structured = lesson("Lesson7Structure", "Albums") { _, _ in Lesson7.Albums() }

    /// The popular mistakes.
    static let mistakes = [
        lesson("Mistakes/Mistake1LookUpThatWaits") { executor, _ in LookUpThatWaits(executor: executor) },
        lesson("Mistakes/Mistake2FailureThatStays") { executor, _ in FailureThatStays(executor: executor) },
        lesson("Mistakes/Mistake3OneCancelsAll") { executor, _ in OneCancelsAll(executor: executor) },
        lesson("Mistakes/Mistake4LateGoodbye") { executor, _ in LateGoodbye(executor: executor) },
        lesson("Mistakes/Mistake5ReportsThatOvertake") { executor, _ in ReportsThatOvertake(executor: executor) },
    ]

    /// What the reader writes.
    static let exercise = lesson("Exercise") { Exercise(executor: $0, slots: $1) }

    /// Where the course leads.
    static let inFlight = Step(path: "Sources/TaskCoordination/InFlight/InFlight.swift", type: nil) {
        InFlight<String, Int, Int>(name: "lessons", executor: $0, slots: $1)
    }

    private static func lesson(_ file: String, _ type: String? = nil, _ makeTable: @escaping MakeTable) -> Step {
        Step(path: "Examples/Lessons/\(file).swift", type: type, makeTable: makeTable)
    }
}
