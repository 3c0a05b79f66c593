// SPDX-License-Identifier: MIT
import TaskCoordination

/// One table of the course.
struct Step: Sendable, CustomStringConvertible {
    typealias MakeTable = @Sendable (_ executor: any TaskExecutor, _ slots: Slots) -> any OncePerKey

    /// The file in which the table is written.
    let file: String
    let makeTable: MakeTable

    var description: String { file }

    /// The draft, and what each lesson makes of it.
    static let all = [
        Step("Lesson0TaskDictionary.swift") { executor, _ in Lesson0.Flights<String, Int>(executor: executor) },
        Step("Lesson1OneWaiterCancels.swift") { executor, _ in Lesson1.Flights<String, Int>(executor: executor) },
        Step("Lesson2LastOneOut.swift") { executor, _ in Lesson2.Flights<String, Int>(executor: executor) },
        Step("Lesson3DoomedFlight.swift") { executor, _ in Lesson3.Flights<String, Int>(executor: executor) },
        Step("Lesson4Priority.swift") { executor, _ in Lesson4.Flights<String, Int>(executor: executor) },
        Step("Lesson5Progress.swift") { executor, _ in Lesson5.Flights<String, Int, Int>(executor: executor) },
        Step("Lesson6SlotsAndMutex.swift") { Lesson6.Flights<String, Int, Int>(executor: $0, slots: $1) },
    ]

    /// Where the course leads.
    static let inFlight = Step("InFlight") { InFlight<String, Int, Int>(name: "lessons", executor: $0, slots: $1) }

    private init(_ file: String, _ makeTable: @escaping MakeTable) {
        self.file = file
        self.makeTable = makeTable
    }
}
