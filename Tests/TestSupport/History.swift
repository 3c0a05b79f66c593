// SPDX-License-Identifier: MIT
import Locks

/// What threads have done with one object, and when each step began and ended.
///
/// Two steps follow each other when the first has ended before the second began; otherwise either may have been first.
/// So a step that happens at an unknown moment of a call has the time of the whole call.
package final class History<Step: Sendable>: Sendable {
    /// A step, and the times between which it has happened.
    package struct Entry: Sendable, CustomStringConvertible {
        package let step: Step
        package let begun: Int
        package let ended: Int

        package var description: String { "\(begun)–\(ended == .max ? "" : "\(ended)") \(step)" }
    }

    private let time = Atomic(0)
    private let written = Mutex<[Entry]>([])

    package init() {}

    /// A time after all earlier ones.
    package var now: Int { time.add(1, ordering: .sequentiallyConsistent).newValue }

    /// What has been written, in the order of beginning.
    package var entries: [Entry] { written.withLock { $0 }.sorted { $0.begun < $1.begun } }

    /// Writes a step that has happened since a time.
    ///
    /// - Parameter ended: When it had happened; now by default. `.max` when it may still be going to happen.
    package func write(_ step: Step, since begun: Int, until ended: Int? = nil) {
        let entry = Entry(step: step, begun: begun, ended: ended ?? now)
        written.withLock { $0.append(entry) }
    }

    /// Runs a call that happens at one moment, and writes it.
    package func write(_ step: Step, during call: () -> Void = {}) {
        let begun = now
        call()
        write(step, since: begun)
    }

    /// Runs a call that happens at one moment, and writes it with its answer.
    package func write<Answer>(_ call: () -> Answer, as step: (Answer) -> Step) {
        let begun = now
        let answer = call()
        let ended = now
        write(step(answer), since: begun, until: ended)
    }
}

/// What an object may do when nothing happens at the same time: a state, and the steps that it allows.
package protocol SequentialModel: Hashable {
    associatedtype Step: Sendable

    /// The states after a step, with the answer that it had; none when the step may not happen now.
    func after(_ step: Step) -> [Self]
}

extension History {
    /// Says that no order of the steps, each within its time, is one that the model allows; `nil` when there is one.
    ///
    /// - Source: J. M. Wing and C. Gong, "Testing and verifying concurrent objects", 1993; with the states that were
    ///   tried kept, as in G. Lowe, "Testing for linearizability", 2017.
    package func fault<Model: SequentialModel>(from model: Model) -> String? where Model.Step == Step {
        let entries = entries
        precondition(entries.count < 64, "A history is small: \(entries.count) steps.")
        var search = OrderSearch<Model>(entries)
        if search.succeeds(from: model, done: 0) { return nil }
        let steps = entries.map(\.description).joined(separator: "\n")
        return "no order explains\n\(steps)\nat most \(search.longest) steps follow each other"
    }
}

private struct OrderSearch<Model: SequentialModel> {
    private struct Place: Hashable {
        let done: UInt64
        let model: Model
    }

    private let entries: [History<Model.Step>.Entry]
    private var seen: Set<Place> = []
    /// The most steps that were put in order.
    private(set) var longest = 0

    init(_ entries: [History<Model.Step>.Entry]) { self.entries = entries }

    /// - Parameter done: A bit for each step that has happened.
    mutating func succeeds(from model: Model, done: UInt64) -> Bool {
        longest = max(longest, done.nonzeroBitCount)
        if done.nonzeroBitCount == entries.count { return true }
        guard seen.insert(Place(done: done, model: model)).inserted else { return false }
        let open = entries.indices.filter { done & (1 << $0) == 0 }
        let firstEnd = open.map { entries[$0].ended }.min() ?? .max
        for index in open where entries[index].begun <= firstEnd {
            for next in model.after(entries[index].step)
            where succeeds(from: next, done: done | (1 << index)) { return true }
        }
        return false
    }
}
