import Foundation

/// SplitMix64: the same numbers for the same seed, on every machine.
struct TestRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

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

    func next(using random: inout TestRandom) -> Int {
        let point = Double.random(in: 0..<(cumulated.last ?? 1), using: &random)
        var (low, high) = (0, cumulated.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulated[middle] < point { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
