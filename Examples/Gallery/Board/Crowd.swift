// SPDX-License-Identifier: MIT
import WebImageBinding
import WebImageTesting

/// The callers of a stampede, all drawn from the seed: when they come, what they want, when they lose patience.
struct Crowd: Sendable {
    struct Caller: Sendable {
        let picture: Int
        let priority: ImagePriority
        let arrival: Duration
        /// When the caller leaves if it still waits; `nil` for a caller that stays.
        let patience: Duration?
    }

    static let callerCount = 1_000
    /// The callers come within this time.
    static let rush = Duration.milliseconds(1_200)
    /// The part of the last picture at which all of its callers leave.
    static let lastStraw = 0.4

    /// By arrival.
    let callers: [Caller]

    /// - Parameters:
    ///   - pictures: The number of pictures, at least one.
    ///   - seed: Everything follows from it.
    init(pictures: Int, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pictures = max(1, pictures)
        // Some pictures are wanted by many callers, and some of those by no urgent one.
        let shares = (0..<pictures).map { _ in Int.random(in: 2...7, using: &random) }
        let tickets = shares.indices.flatMap { Array(repeating: $0, count: shares[$0]) }
        let ceilings = shares.map { _ in Int.random(in: 1..<5, using: &random) }
        callers = (0..<Self.callerCount).map { number in
            // The first ones want one picture each.
            let picture = number < pictures ? number : tickets[Int.random(in: 0..<tickets.count, using: &random)]
            let part = Double(number) / Double(Self.callerCount)
            let arrival = Self.rush * (part * part * 0.4 + part * 0.6)
            let patience =
                Int.random(in: 0..<4, using: &random) == 0 ? Int.random(in: 600...4_500, using: &random) : nil
            let priority = Int.random(in: 0...ceilings[picture], using: &random)
            return Caller(
                picture: picture, priority: ImagePriority(rawValue: priority) ?? .normal, arrival: arrival,
                patience: patience.map { .milliseconds($0) })
        }
    }
}
