// SPDX-License-Identifier: MIT
import TaskCoordination
import WebImageTesting

/// One lesson of the course: what is wrong in a step, the scenario that shows it, and what the next step does about it.
struct Lesson: Sendable {
    /// How a scenario went.
    struct Performance: Sendable {
        /// The promise that was broken, as a sentence. `nil` when all were kept.
        let broken: String?
        let timeline: Timeline
    }

    let number: Int
    let title: String
    /// What is wrong in the step before.
    let fault: String
    /// What this step does about it.
    let mend: String
    /// A seed under which the step before breaks a promise of the scenario.
    let failingSeed: UInt64
    let scenario: @Sendable (Stage) -> String?

    /// The step before and this step.
    var before: Step { Step.all[number - 1] }
    var after: Step { Step.all[number] }

    /// The seeds under which the steps are tried.
    static let seeds: Range<UInt64> = 0..<300

    /// Plays the scenario on a step, with the interleaving that the seed draws.
    func play(_ step: Step, seed: UInt64) -> Performance {
        let stage = Stage(SeededExecutor(seed: seed)) { step.makeTable($0, Slots(limit: Scenarios.slotLimit)) }
        return Performance(broken: scenario(stage), timeline: stage.timeline)
    }

    /// The seeds under which the step breaks a promise of the scenario.
    func failures(of step: Step) -> [UInt64] {
        Self.seeds.filter { play(step, seed: $0).broken != nil }
    }
}

extension Lesson: CustomStringConvertible {
    var description: String { "Lesson \(number), \(title)" }

    /// The six lessons.
    static let all = [
        Lesson(
            number: 1, title: "one waiter cancels",
            fault: "A cancelled caller waits on: to await the handle of a task lasts until the task ends.",
            mend: "Each caller waits in a continuation of its own, which its cancellation resumes.",
            failingSeed: 0, scenario: Scenarios.oneWaiterCancels),
        Lesson(
            number: 2, title: "the last one out",
            fault: "When every caller has been cancelled, the flight still runs to its end.",
            mend: "A cancelled caller leaves its flight, and the last one to leave cancels the task.",
            failingSeed: 4, scenario: Scenarios.lastOneOut),
        Lesson(
            number: 3, title: "the doomed flight and identity",
            fault: "A cancelled flight can be joined until it has unwound, and ends its new caller with an error.",
            mend: "The last one out takes the flight off the table. A flight that lands looks for its own identity.",
            failingSeed: 17, scenario: Scenarios.doomedFlight),
        Lesson(
            number: 4, title: "priority and escalation",
            fault: "A flight keeps the priority of its first caller, however urgent the later ones are.",
            mend: "Callers escalate the task when they join, and when they are escalated while they wait.",
            failingSeed: 10, scenario: Scenarios.priority),
        Lesson(
            number: 5, title: "progress and late callers",
            fault: "Only the caller that starts a flight hears how far it has come.",
            mend: "The table keeps the latest report, and each caller has a stream of news.",
            failingSeed: 283, scenario: Scenarios.progress),
        Lesson(
            number: 6, title: "slots, and what a mutex buys",
            fault: "As many operations run at once as there are keys.",
            mend: "An operation waits for a slot. A lock stands where the actor stood: fewer jobs for each load.",
            failingSeed: 0, scenario: Scenarios.slots),
    ]
}
