// SPDX-License-Identifier: MIT
/// Where the pixels of one side of a picture come from when it is drawn at another size.
///
/// A smaller picture gets the mean of the pixels below each of its own; a larger one gets pixels between the two
/// nearest.
struct Sampling: Sendable {
    /// The first and the last pixel that count.
    let first: [Int]
    let last: [Int]
    /// The share of the last one where the picture grows, of 256; `nil` where all from first to last count equally.
    let shares: [Int]?

    /// - Parameters:
    ///   - source: Pixels of the side, at least one.
    ///   - target: Pixels that it is drawn with, at least one.
    init(from source: Int, to target: Int) {
        if target <= source {
            first = (0..<target).map { $0 * source / target }
            last = (0..<target).map { max($0 * source / target, ($0 + 1) * source / target - 1) }
            shares = nil
            return
        }
        // Centres lie on centres; in units of a 512th of a pixel of the source.
        let positions = (0..<target).map { max(0, (2 * $0 + 1) * source * 256 / target - 256) }
        first = positions.map { min(source - 1, $0 / 512) }
        last = positions.map { min(source - 1, $0 / 512 + 1) }
        shares = positions.map { $0 % 512 / 2 }
    }
}
