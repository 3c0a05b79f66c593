// SPDX-License-Identifier: MIT
/// The options of the command line.
struct Options: Sendable {
    static let usage = """
        usage: soak [--rounds N] [--quick] [--seed N]

        Starts loads, cancels them at random moments, and exits with 1 when a flight, a slot, a descriptor, a thread
        or memory stays. Uses the loopback interface alone.

          --rounds N   How many loads, batches and lists are started against each world. 100,000 by default.
          --quick      5,000 rounds.
          --seed N     Draws other moments.
        """

    var rounds = 100_000
    var seed: UInt64 = 1
    /// How many rounds run at once.
    let workers = 64

    /// Creates options; `nil` when the words are invalid.
    init?(_ words: some Sequence<String>) {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--quick": rounds = 5_000
            case "--rounds":
                guard let number = words.next().flatMap({ Int($0) }), (1...10_000_000).contains(number) else {
                    return nil
                }
                rounds = number
            case "--seed":
                guard let number = words.next().flatMap({ UInt64($0) }) else { return nil }
                seed = number
            default: return nil
            }
        }
    }
}
