// SPDX-License-Identifier: MIT
import Foundation
import WebImageTesting

/// Requests of a made-up web site: the numbers of pictures, and the size of each.
struct Trace {
    let name: String
    let requests: [Int]
    let sizes: [Int]
    /// What a simulator of S3-FIFO with promotion at the first hit gives for traces of this kind at 5 % of the bytes,
    /// in percent of the requests.
    let simulated: Double

    /// The sum of the sizes of all pictures that are requested.
    var footprint: Int { Set(requests).reduce(0) { $0 + sizes[$1] } }

    /// Five kinds; popularity by Zipf's law, sizes log-normal about 40 kB.
    static func all(pictures: Int, requests: Int) -> [Trace] {
        var noise = SeededGenerator(seed: 20)
        let mild = Zipf(pictures, 0.9)
        func draw(_ zipf: Zipf) -> [Int] { (0..<requests).map { _ in zipf.next(using: &noise) } }
        func sizes(_ count: Int) -> [Int] { (0..<count).map { _ in logNormal(using: &noise) } }
        let (steep, flat) = (draw(Zipf(pictures, 1.1)), draw(mild))
        var onceCount = 0
        let once = draw(mild).map { number in
            guard Int.random(in: 0..<4, using: &noise) == 0 else { return number }
            onceCount += 1
            return pictures + onceCount - 1
        }
        let drift = draw(mild).enumerated().map { ($1 + $0 * 100 / requests * pictures / 100) % pictures }
        var scan = draw(mild)
        let length = pictures * 3 / 10
        for start in stride(from: requests / 10, to: requests - 2 * length, by: requests / 5) {
            for number in 0..<length { scan[start + 2 * number] = pictures + number }
        }
        return [
            Trace(name: "Zipf 0.9", requests: flat, sizes: sizes(pictures), simulated: 59.6),
            Trace(name: "Zipf 1.1", requests: steep, sizes: sizes(pictures), simulated: 82.3),
            Trace(
                name: "Zipf 0.9, a quarter asked for once", requests: once, sizes: sizes(pictures + onceCount),
                simulated: 59.0),
            Trace(name: "Zipf 0.9, popularity drifts", requests: drift, sizes: sizes(pictures), simulated: 49.2),
            Trace(name: "Zipf 0.9, with scans", requests: scan, sizes: sizes(pictures + length), simulated: 57.6),
        ]
    }

    private static func logNormal(using noise: inout SeededGenerator) -> Int {
        let (first, second) = (Double.random(in: 1e-12..<1, using: &noise), Double.random(in: 0..<1, using: &noise))
        let normal = (-2 * log(first)).squareRoot() * cos(2 * .pi * second)
        return Int(min(max(256, 40_000 * exp(1.2 * normal)), 67_108_864))
    }
}

/// Draws ranks: rank r with weight 1 / (r + 1)^exponent.
struct Zipf {
    private let cumulated: [Double]

    init(_ count: Int, _ exponent: Double) {
        var sum = 0.0
        cumulated = (1...count).map { rank in
            sum += pow(Double(rank), -exponent)
            return sum
        }
    }

    func next(using noise: inout SeededGenerator) -> Int {
        let point = Double.random(in: 0..<(cumulated.last ?? 1), using: &noise)
        var (low, high) = (0, cumulated.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if cumulated[middle] < point { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
