// SPDX-License-Identifier: MIT
import TaskCoordination
import WebImageTesting

/// One lesson of the course, or one popular mistake: a wrong table, the scenario that shows why, and the right one.
struct Lesson: Sendable {
    enum Kind: String { case lesson, mistake }

    /// How a scenario went.
    struct Performance: Sendable {
        /// The promise that was broken, as a sentence. `nil` when all were kept.
        let broken: String?
        let timeline: Timeline
        /// The callers that never ended.
        let waiting: [String]
    }

    var kind = Kind.lesson
    let number: Double
    let title: String
    /// What the scenario asks of a table.
    let promise: String
    /// What is wrong in the table before.
    let fault: String
    /// What the table after does about it.
    let mend: String
    let before: Step
    let after: Step
    /// A seed under which the table before breaks a promise of the scenario.
    let failingSeed: UInt64
    /// What is measured, where it is not one load.
    var measured: String?
    let scenario: @Sendable (Stage) -> String?

    /// The seeds under which the tables are tried.
    static let seeds: Range<UInt64> = 0..<300

    /// What a reader writes to choose it.
    var option: String { "--\(kind.rawValue) \(number == 0.5 ? "0.5" : "\(Int(number))")" }
    /// As it is spoken of: "Lesson 0½".
    var name: String { "\(kind == .lesson ? "Lesson" : "Mistake") \(number == 0.5 ? "0½" : "\(Int(number))")" }

    /// Plays the scenario on a table, with the interleaving that the seed draws.
    func play(_ step: Step, seed: UInt64) -> Performance {
        let stage = Stage(SeededExecutor(seed: seed)) { step.makeTable($0, Slots(limit: Scenarios.slotLimit)) }
        let broken = scenario(stage)
        return Performance(
            broken: stage.isEndless ? "after \(Stage.stepLimit) steps there is no end in sight" : broken,
            timeline: stage.timeline, waiting: stage.waiting.map(\.name))
    }

    /// The seeds under which the table breaks a promise of the scenario.
    func failures(of step: Step) -> [UInt64] {
        Self.seeds.filter { play(step, seed: $0).broken != nil }
    }
}

extension Lesson: CustomStringConvertible {
    var description: String { "\(name), \(title)" }
}
