// SPDX-License-Identifier: MIT
extension Lesson {
    /// The lessons in the order in which they are read.
    static let all = [oneWait] + course + [structure]

    /// Lesson 0½: what lesson 1 takes for granted.
    static let oneWait = Lesson(
        number: 0.5, title: "one wait",
        promise: "Every wait ends, also one that is cancelled early",
        fault: "An event that comes before the caller has suspended is lost, and the caller waits for ever.",
        mend: "The state behind the lock remembers an event that came too early.",
        before: .lossyWait, after: .wait, failingSeed: 8,
        measured: "an operation in a task, and a turn for others", scenario: Scenarios.oneWait)

    /// The lessons 1 to 6. Each mends the table of the one before.
    static let course = [
        Lesson(
            number: 1, title: "one waiter cancels",
            promise: "A cancelled caller ends its wait at once",
            fault: "A cancelled caller waits on: to await the handle of a task lasts until the task ends.",
            mend: "Each caller waits in a continuation of its own, which its cancellation resumes.",
            before: Step.all[0], after: Step.all[1], failingSeed: 0, scenario: Scenarios.oneWaiterCancels),
        Lesson(
            number: 2, title: "the last one out",
            promise: "The last caller to leave cancels the flight",
            fault: "When every caller has been cancelled, the flight still runs to its end.",
            mend: "A cancelled caller leaves its flight, and the last one to leave cancels the task.",
            before: Step.all[1], after: Step.all[2], failingSeed: 4, scenario: Scenarios.lastOneOut),
        Lesson(
            number: 3, title: "the doomed flight and identity",
            promise: "A later caller does not join a cancelled flight",
            fault: "A cancelled flight can be joined until it has unwound, and ends its new caller with an error.",
            mend: "The last one out takes the flight off the table. A flight that lands looks for its own identity.",
            before: Step.all[2], after: Step.all[3], failingSeed: 17, scenario: Scenarios.doomedFlight),
        Lesson(
            number: 4, title: "priority and escalation",
            promise: "A flight is as urgent as its most urgent caller",
            fault: "A flight keeps the priority of its first caller, however urgent the later ones are.",
            mend: "Callers escalate the task when they join, and when they are escalated while they wait.",
            before: Step.all[3], after: Step.all[4], failingSeed: 10, scenario: Scenarios.priority),
        Lesson(
            number: 5, title: "progress and late callers",
            promise: "Every caller hears the last report, and all in order",
            fault: "Only the caller that starts a flight hears how far it has come.",
            mend: "The table keeps the latest report, and each caller has a stream of news.",
            before: Step.all[4], after: Step.all[5], failingSeed: 283, scenario: Scenarios.progress),
        Lesson(
            number: 6, title: "slots, and what a mutex buys",
            promise: "No more operations run at once than there are slots",
            fault: "As many operations run at once as there are keys.",
            mend: "An operation waits for a slot. A lock stands where the actor stood: fewer jobs for each load.",
            before: Step.all[5], after: Step.all[6], failingSeed: 0, scenario: Scenarios.slots),
    ]

    /// Lesson 7: one caller and many operations, where the others have one operation and many callers.
    static let structure = Lesson(
        number: 7, title: "structure",
        promise: "A call returns when all that it has started has ended",
        fault: "The call fails or is cancelled, and the tasks that it has started load on.",
        mend: "Child tasks: they are cancelled with the call, and the call returns when they have ended.",
        before: .loose, after: .structured, failingSeed: 0,
        measured: "an album of three pictures", scenario: Scenarios.structure)

    /// Five popular mistakes, other ones than those of the course.
    static let mistakes = [
        Lesson(
            kind: .mistake, number: 1, title: "a look-up that waits",
            promise: "Equal keys share one operation",
            fault: "Between look-up and insertion is an await, where a second caller enters the actor.",
            mend: "Look-up and insertion are one synchronous step.",
            before: Step.mistakes[0], after: Step.all[0], failingSeed: 0, scenario: Scenarios.sharing),
        Lesson(
            kind: .mistake, number: 2, title: "a failure that stays",
            promise: "A failure is forgotten when its flight has landed",
            fault: "Tasks stay in the table as a cache of their values, and of their errors.",
            mend: "A task leaves the table when it has ended. The next caller tries again.",
            before: Step.mistakes[1], after: Step.all[0], failingSeed: 0, scenario: Scenarios.failure),
        Lesson(
            kind: .mistake, number: 3, title: "one cancels all",
            promise: "The cancellation of one caller does not end the others",
            fault: "Each caller passes its cancellation on to the task that it shares with others.",
            mend: "A cancelled caller ends its own wait. Only the last one out cancels the task.",
            before: Step.mistakes[2], after: Step.all[2], failingSeed: 0, scenario: Scenarios.innocentCaller),
        Lesson(
            kind: .mistake, number: 4, title: "a late goodbye",
            promise: "A caller that leaves one flight does not leave the next one",
            fault: "A task tells the actor that a caller has left, and comes when the key has a new flight.",
            mend: "A caller has an identity, and leaves the flight that it is in, or none.",
            before: Step.mistakes[3], after: Step.all[3], failingSeed: 0, scenario: Scenarios.goodbye),
        Lesson(
            kind: .mistake, number: 5, title: "reports that overtake each other",
            promise: "Every caller hears the last report, and all in order",
            fault: "Each report travels to the actor in a task of its own, and tasks have no order.",
            mend: "Reports go into a stream, which one loop reads.",
            before: Step.mistakes[4], after: Step.all[5], failingSeed: 9, scenario: Scenarios.progress),
    ]

    /// What is asked of the exercise, in this order. The fifth mistake asks what lesson 5 does.
    static let checks =
        [mistakes[0], mistakes[1], mistakes[2], course[0], oneWait, course[1], course[2], mistakes[3]] + course[3...]
}
