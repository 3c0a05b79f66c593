// SPDX-License-Identifier: MIT
/// How long the measuring may take.
struct Effort: Sendable {
    /// How often each contender is timed; the row shows the median.
    let repeats: Int
    /// How long one timing lasts, in seconds, for contenders that may do their work any number of times.
    let batch: Double
    /// The one contender that does its work, and how often: then nothing is timed. For programs that count
    /// instructions.
    var alone: (contender: Int, count: Int)?

    /// About a minute for all rows together.
    static let quick = Effort(repeats: 5, batch: 0.03)
    /// About five minutes, for figures to be published.
    static let full = Effort(repeats: 11, batch: 0.2)
}
