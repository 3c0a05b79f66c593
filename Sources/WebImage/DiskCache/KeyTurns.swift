// SPDX-License-Identifier: MIT
internal import TaskCoordination

/// One change at a time for each key, in order of arrival.
///
/// Two stores of one key at once would end in any order. The index could then hold the size of one and the folder the
/// file of the other. State of an actor: the methods are called in one isolation.
struct KeyTurns {
    /// The waiting operations, by key. A key is in the table while an operation has its turn.
    private var lines: [KeyDigest: [OneShot<Bool>]] = [:]

    /// The number of keys with a turn taken.
    var count: Int { lines.count }

    /// Takes the turn if it is free.
    mutating func take(_ digest: KeyDigest) -> Bool {
        guard lines[digest] == nil else { return false }
        lines[digest] = []
        return true
    }

    /// Whether an operation has the turn.
    func isTaken(_ digest: KeyDigest) -> Bool { lines[digest] != nil }

    /// The number of operations that wait for the turn.
    func waiting(for digest: KeyDigest) -> Int { lines[digest]?.count ?? 0 }

    /// Joins the line.
    ///
    /// The caller has the turn once the value is `true`. Resolving it with `false` leaves the line.
    mutating func join(_ digest: KeyDigest) -> OneShot<Bool> {
        let place = OneShot<Bool>()
        lines[digest, default: []].append(place)
        return place
    }

    /// Gives the turn to the next waiting operation that was not cancelled.
    mutating func pass(_ digest: KeyDigest) {
        while var line = lines[digest], !line.isEmpty {
            let next = line.removeFirst()
            lines[digest] = line
            // `resolve` fails when the cancellation of the place came first.
            if next.resolve(true) { return }
        }
        lines[digest] = nil
    }
}
