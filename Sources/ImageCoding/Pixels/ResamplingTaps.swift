// SPDX-License-Identifier: MIT
import CImageShims

/// The source samples and weights of each output sample of one axis.
///
/// Lanczos with three lobes, widened when shrinking so that no source sample is left out. Taps beyond the edge are
/// dropped and the rest is scaled to a sum of one, so edges neither darken nor repeat.
struct ResamplingTaps: Sendable {
    /// One per output sample. The first source sample is even; neither it nor the end decreases. There is at least one
    /// pair. Output samples with the same weights share them.
    private(set) var taps: [swi_tap] = []
    /// Whole numbers that add up to `1 << shift` for each output sample, and a pair of zeros after them.
    private(set) var weights: [Int16] = []
    private(set) var shift = 0
    /// The largest sum of the absolute weights of an output sample: 1, and more for a filter that overshoots.
    private(set) var gain = 1.0

    /// Creates the taps of one axis.
    ///
    /// - Parameters:
    ///   - source: The number of source samples.
    ///   - start: The start of the window that becomes the output, in source samples.
    ///   - length: The length of the window, in source samples.
    ///   - target: The number of output samples.
    ///   - peak: The largest sample that is weighted.
    init(source: Int, start: Double, length: Double, target: Int, peak: Int) {
        let scale = length / Double(target)
        let widening = max(scale, 1)
        let reach = 3 * widening
        let step = 1 / widening
        unsafe self.init(
            source: source, target: target, longest: Int(reach.rounded(.up)) * 2 + 2, peak: peak, isSteady: false
        ) { index, weights in
            let center = start + (Double(index) + 0.5) * scale
            let from = min(max(Int((center - reach + 0.5).rounded(.down)), 0), source - 1)
            let to = min(max(Int((center + reach + 0.5).rounded(.down)), from + 1), source)
            var distance = (Double(from) + 0.5 - center) * step
            for offset in 0..<to - from {
                unsafe weights[offset] = ResamplingTaps.lanczos(distance)
                distance += step
            }
            return from..<to
        }
    }

    /// Creates the taps of a Gaussian filter that keeps the number of samples.
    ///
    /// Samples beyond three standard deviations are left out.
    init(gaussian sigma: Double, count samples: Int, peak: Int) {
        let reach = Int((sigma * 3).rounded(.up))
        let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        unsafe self.init(
            source: samples, target: samples, longest: min(2 * reach + 1, samples), peak: peak, isSteady: true
        ) { index, weights in
            let (from, to) = (max(index - reach, 0), min(index + reach + 1, samples))
            for sample in from..<to { unsafe weights[sample - from] = kernel[sample - index + reach] }
            return from..<to
        }
    }

    /// Creates taps from weights of any sum.
    ///
    /// - Parameters:
    ///   - longest: The largest number of source samples of an output sample.
    ///   - peak: The largest sample that is weighted.
    ///   - isSteady: Whether the weights of output samples with as many samples as `longest` are equal.
    ///   - weigh: Writes the weights of an output sample, and returns its source samples.
    private init(
        source: Int, target: Int, longest: Int, peak: Int, isSteady: Bool,
        _ weigh: (Int, UnsafeMutablePointer<Double>) -> Range<Int>
    ) {
        var largest = 0.0
        // The number of bits depends on the largest weight, so the weights wait for it as numbers of 32 bits.
        var exact = [Float]()
        exact.reserveCapacity(isSteady ? 0 : (min(longest, source) + 3) * target)
        let row = UnsafeMutablePointer<Double>.allocate(capacity: longest)
        defer { unsafe row.deallocate() }
        unsafe row.initialize(repeating: 0, count: longest)
        // By the evenness of the first sample.
        var steady: [Int32?] = [nil, nil]
        for index in 0..<target {
            let samples = unsafe weigh(index, row)
            let odd = samples.lowerBound & 1
            let known = isSteady && samples.count == longest ? steady[odd] : nil
            let place = known ?? Int32(exact.count / 2)
            taps.append(
                swi_tap(
                    first: Int32(samples.lowerBound - odd), end: Int32(samples.upperBound),
                    pairs: Int32((samples.count + odd + 1) / 2), place: place))
            if known != nil { continue }
            if samples.count == longest { steady[odd] = place }
            if odd == 1 { exact.append(0) }
            let factor = unsafe 1 / ResamplingTaps.sum(row, samples.count)
            var total = 0.0
            for offset in 0..<samples.count {
                let weight = unsafe row[offset] * factor
                let size = weight < 0 ? -weight : weight
                if size > largest { largest = size }
                total += size
                exact.append(Float(weight))
            }
            // To a whole pair, and one more.
            for _ in 0..<2 + (samples.count + odd) % 2 { exact.append(0) }
            gain = max(gain, total)
        }
        shift = ResamplingTaps.bits(largest: largest, sum: gain * Double(peak))
        weights = rounded(exact)
    }

    /// The sum of weights; where it is none, they are made equal.
    private static func sum(_ weights: UnsafeMutablePointer<Double>, _ count: Int) -> Double {
        var sum = 0.0
        for offset in 0..<count { unsafe sum += weights[offset] }
        if sum > 0 { return sum }
        unsafe weights.update(repeating: 1, count: count)
        return Double(count)
    }

    /// The most bits with which a weight fits into 16 bits, and a sum of weighted samples into 32.
    private static func bits(largest: Double, sum: Double) -> Int {
        var bits = 8
        while bits < 22, largest * Double(2 << bits) < 32_700, sum * Double(2 << bits) < 0x7F00_0000 { bits += 1 }
        return bits
    }

    /// Rounds the sums of the weights so far, and not each weight: so an output sample's weights add up exactly, and an
    /// area of one colour keeps it.
    private func rounded(_ exact: [Float]) -> [Int16] {
        let factor = Float(1 << shift)
        return unsafe [Int16](unsafeUninitializedCapacity: exact.count) { weights, count in
            count = exact.count
            var place = 0
            for tap in taps where Int(tap.place) * 2 == place {
                let next = place + Int(tap.pairs) * 2
                var (sum, before): (Float, Float) = (0, 0)
                while place < next {
                    sum += exact[place]
                    let now = (sum * factor).rounded()
                    unsafe weights[place] = Int16(clamping: Int(now - before))
                    before = now
                    place += 1
                }
                unsafe weights[place] = 0
                unsafe weights[place + 1] = 0
                place += 2
            }
        }
    }

    private static func lanczos(_ x: Double) -> Double {
        let distance = abs(x)
        if distance < 1e-9 { return 1 }
        if distance >= 3 { return 0 }
        let angle = distance * Double.pi
        let third = sin(angle / 3)
        // The sine of the whole angle is that of three thirds.
        return 3 * (third * (3 - 4 * third * third)) * third / (angle * angle)
    }
}

extension ResamplingTaps {
    /// The weights with each pair four times, for the four channels of a pixel.
    var fourfold: [Int16] {
        unsafe [Int16](unsafeUninitializedCapacity: weights.count * 4) { wide, count in
            count = weights.count * 4
            unsafe wide.withMemoryRebound(to: SIMD4<Int32>.self) { wide in
                unsafe weights.withUnsafeBytes { weights in
                    for index in 0..<weights.count / 4 {
                        let both = unsafe weights.load(fromByteOffset: index * 4, as: Int32.self)
                        unsafe wide[index] = SIMD4(repeating: both)
                    }
                }
            }
        }
    }

    /// The largest number of source samples of an output sample, with the first one even.
    var reach: Int { Int(taps.map(\.pairs).max() ?? 1) * 2 }

    /// Lends the arrays to C.
    ///
    /// - Parameter weights: The weights, or those made ``fourfold``.
    func withPointers<Result>(
        _ weights: [Int16], _ body: (swi_taps) throws -> Result
    ) rethrows -> Result {
        try unsafe taps.withUnsafeBufferPointer { taps in
            try unsafe weights.withUnsafeBufferPointer { weights in
                // There is at least one output sample, so none is empty.
                try unsafe body(
                    swi_taps(of: taps.baseAddress!, weights: weights.baseAddress!, shift: Int32(shift)))
            }
        }
    }
}
