// SPDX-License-Identifier: MIT
/// One line of the table: a figure, and what it is compared with.
struct Row: Sendable {
    /// The time of a figure that a row shows.
    enum Clock: String, Sendable {
        case wall
        case cpu
        /// No clock: the row is about memory, in bytes.
        case bytes

        func reading(of figure: Figure) -> Double { self == .cpu ? figure.cpu : figure.wall }

        func reading(of timing: Timing) -> Double { self == .cpu ? timing.cpu : timing.wall }
    }

    let name: String
    let clock: Clock
    /// Seconds or bytes.
    let value: Double
    let baseline: String
    /// Seconds or bytes.
    let baselineValue: Double
    /// A remark.
    var note = ""

    /// Below 1 where the measured thing is faster than its baseline.
    let ratio: Double
    /// The largest ratio that is as it should be.
    let ceiling: Double

    var isAbove: Bool { ratio > ceiling }

    /// The ratio is the median over the rounds: what slows the machine for a second slows both of a round.
    init(
        _ name: String, _ figure: Figure, against baseline: Figure, by clock: Clock = .wall, atMost ceiling: Double,
        note: String = ""
    ) {
        let ratios = zip(figure.timings, baseline.timings).map { clock.reading(of: $0) / clock.reading(of: $1) }
        self.init(
            name, clock.reading(of: figure), against: baseline.name, clock.reading(of: baseline), by: clock,
            ratio: median(ratios), atMost: ceiling, note: note)
    }

    /// - Parameter ratio: By default that of the two values.
    init(
        _ name: String, _ value: Double, against baseline: String, _ baselineValue: Double, by clock: Clock = .wall,
        ratio: Double? = nil, atMost ceiling: Double, note: String = ""
    ) {
        self.ratio = ratio ?? value / baselineValue
        self.ceiling = ceiling
        self.name = name
        self.clock = clock
        self.value = value
        self.baseline = baseline
        self.baselineValue = baselineValue
        self.note = note
    }
}
