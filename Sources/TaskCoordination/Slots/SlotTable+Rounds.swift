// SPDX-License-Identifier: MIT
import Locks

/// Fairness over time: in each round a lane that has waited may get the slot of another one.
extension SlotTable {
    /// Lets a lane that has waited for a whole round have a slot of one that holds more than its share and waits for
    /// nothing more urgent, or whose bodies make no progress. These run on without their slots; at most as many as
    /// there are slots.
    ///
    /// - Parameters:
    ///   - stalled: How many bodies of a lane have made no progress since the last round.
    ///   - patience: Rounds after which a waiter is turned away.
    /// - Returns: The waiters that have slots now, and those that were turned away.
    mutating func nextRound(
        stalled: [String: Int], patience: Int
    ) -> (served: [Grant], expired: [Waiter]) {
        // Time that nothing could be given in is not the waiters' patience.
        if isHeldBack(lanes.compactMap(\.queue.firstPriority).max()) { return ([], []) }
        round += 1
        let oldest = round - patience
        let expired = removeAll { $0.round <= oldest }
        var served: [Grant] = []
        while let lane = turns.first, let first = lanes[lane].queue.first, first.round < round - 1,
            lent < settings.limit, !isHeldBack(lanes[lane].queue.firstPriority), let donor = donor(for: lane, stalled)
        {
            lanes[donor].held -= 1
            lanes[donor].lent += 1
            (held, lent) = (held - 1, lent + 1)
            settle(donor)
            guard held < settings.limit else { break }
            served.append(serve(lane))
        }
        return (served, expired)
    }

    private func donor(for waiting: Int, _ stalled: [String: Int]) -> Int? {
        let others = lanes.indices.filter { $0 != waiting && lanes[$0].held > 0 }
        if let largest = others.max(by: { lanes[$0].held < lanes[$1].held }), lanes[largest].held > settings.share,
            lanes[largest].queue.firstPriority ?? 0 <= lanes[waiting].queue.firstPriority ?? 0
        {
            return largest
        }
        return others.first { stalled[lanes[$0].name, default: 0] > lanes[$0].lent }
    }
}

extension Slots {
    /// Lets waiters have slots that are no longer held back.
    package func reconsider() { Slots.tell(state.withLock { Slots.serve(&$0) }) }

    /// Looks at the queue, which the owner does every now and then while something waits.
    ///
    /// A lane that has waited for a whole round gets a slot of one that holds more than its share and waits for nothing
    /// more urgent, or whose bodies make no progress. These bodies run on without their slots, at most as many as there
    /// are slots.
    ///
    /// - Parameters:
    ///   - stalled: How many bodies of each lane have made no progress since the last round.
    ///   - patience: Rounds after which a waiter is turned away with code `.queueTimedOut`.
    package func nextRound(stalled: [String: Int], patience: Int) {
        let (served, expired) = state.withLock { state in
            let round = state.table.nextRound(stalled: stalled, patience: patience)
            state.bodies.begin(round.served.count)
            return (round.served + Slots.serve(&state), round.expired)
        }
        Slots.tell(served)
        let refusal = CoordinationError(
            code: .queueTimedOut, message: "\(name): no slot came free in time; try again later")
        for waiter in expired { waiter.answer(.failure(refusal)) }
    }
}
