// SPDX-License-Identifier: MIT
import Foundation
import WebImageTesting

/// Draws ranks by Zipf's law: rank r with weight 1 / (r + 1)^exponent.
struct ZipfTrace {
    private let cumulated: [Double]

    init(count: Int, exponent: Double) {
        var sum = 0.0
        cumulated = (1...count).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
    }

    func next(using random: inout SeededGenerator) -> Int {
        let point = Double.random(in: 0..<(cumulated.last ?? 1), using: &random)
        var (low, high) = (0, cumulated.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulated[middle] < point { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
