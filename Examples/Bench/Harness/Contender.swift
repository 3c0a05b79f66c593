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

/// The time of doing the work once, in seconds.
struct Figure: Sendable {
    let name: String
    /// Real time.
    let wall: Double
    /// Processor time of the process, all threads, user and system.
    let cpu: Double
}
