// SPDX-License-Identifier: MIT
/// One way to do the work of a row.
struct Contender {
    let name: String
    /// How often the work is done in one timing; `nil` when the harness may choose.
    let fixedCount: Int?
    /// Does the work `count` times.
    let run: (_ count: Int) async throws -> Void

    init(_ name: String, count: Int? = nil, run: @escaping (_ count: Int) async throws -> Void) {
        self.name = name
        fixedCount = count
        self.run = run
    }
}

/// How long a contender takes, in seconds for each time that it does its work; medians over the rounds.
struct Figure: Sendable {
    let name: String
    /// One of each round.
    let timings: [Timing]

    /// Real time.
    var wall: Double { median(timings.map(\.wall)) }
    /// Processor time of the process, all threads, user and system.
    var cpu: Double { median(timings.map(\.cpu)) }
}

/// The times of one round.
struct Timing: Sendable {
    let wall: Double
    let cpu: Double
}
