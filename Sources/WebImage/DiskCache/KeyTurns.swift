internal import TaskCoordination

/// One change at a time for each key, in order of arrival.
///
/// Two stores of one key would end in the order in which the disk pleases; the index would then hold the size of one
/// and the folder the file of the other. State of an actor: the methods are called in one isolation.
struct KeyTurns {
    /// Who waits, by key; a key that nobody has a turn with is not in the table.
    private var lines: [KeyDigest: [OneShot<Bool>]] = [:]

    /// The number of keys with a turn taken.
    var count: Int { lines.count }

    /// Takes the turn, if nobody has it.
    mutating func take(_ digest: KeyDigest) -> Bool {
        guard lines[digest] == nil else { return false }
        lines[digest] = []
        return true
    }

    /// Whether somebody has the turn.
    func isTaken(_ digest: KeyDigest) -> Bool { lines[digest] != nil }

    /// How many wait for the turn.
    func waiting(for digest: KeyDigest) -> Int { lines[digest]?.count ?? 0 }

    /// Joins the line.
    ///
    /// The turn is the caller's once the value is `true`; resolving it with `false` leaves the line.
    mutating func join(_ digest: KeyDigest) -> OneShot<Bool> {
        let place = OneShot<Bool>()
        lines[digest, default: []].append(place)
        return place
    }

    /// Gives the turn to the next in line who still wants it.
    mutating func pass(_ digest: KeyDigest) {
        while var line = lines[digest], !line.isEmpty {
            let next = line.removeFirst()
            lines[digest] = line
            // Refused by a place whose cancellation came first.
            if next.resolve(true) { return }
        }
        lines[digest] = nil
    }
}
