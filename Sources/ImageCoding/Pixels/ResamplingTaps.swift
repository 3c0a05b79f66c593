import Foundation

/// The source samples and weights of each output sample of one axis.
///
/// Lanczos with three lobes, widened when shrinking so that no source sample is left out. Taps beyond the edge are
/// dropped and the rest is scaled to a sum of one, so edges neither darken nor repeat.
struct ResamplingTaps: Sendable {
    /// First source sample per output sample; never decreasing.
    let first: [Int]
    /// The number of source samples per output sample; at least one.
    let count: [Int]
    /// `stride` weights per output sample, of which `count` are used.
    let weights: [Float]
    /// Room for the largest count.
    let stride: Int

    /// Creates the taps of one axis.
    ///
    /// - Parameters:
    ///   - source: The number of source samples.
    ///   - start: The start of the window that becomes the output, in source samples.
    ///   - length: The length of the window, in source samples.
    ///   - target: The number of output samples.
    init(source: Int, start: Double, length: Double, target: Int) {
        let scale = length / Double(target)
        let widening = max(scale, 1)
        let reach = 3 * widening
        let stride = Int(reach.rounded(.up)) * 2 + 2
        var first = [Int]()
        var count = [Int]()
        var weights = [Float](repeating: 0, count: stride * target)
        for index in 0..<target {
            let center = start + (Double(index) + 0.5) * scale
            let from = min(max(Int((center - reach + 0.5).rounded(.down)), 0), source - 1)
            let to = min(max(Int((center + reach + 0.5).rounded(.down)), from + 1), source)
            let values = (from..<to).map { ResamplingTaps.lanczos((Double($0) + 0.5 - center) / widening) }
            let sum = values.reduce(0, +)
            for (offset, value) in values.enumerated() {
                weights[index * stride + offset] = Float(sum == 0 ? 1 / Double(values.count) : value / sum)
            }
            first.append(from)
            count.append(to - from)
        }
        self.first = first
        self.count = count
        self.weights = weights
        self.stride = stride
    }

    /// Creates the taps of a Gaussian filter that keeps the number of samples.
    ///
    /// Samples beyond three standard deviations are left out.
    init(gaussian sigma: Double, count samples: Int) {
        let reach = Int((sigma * 3).rounded(.up))
        let kernel = (-reach...reach).map { exp(-Double($0 * $0) / (2 * sigma * sigma)) }
        let stride = min(2 * reach + 1, samples)
        var first = [Int]()
        var count = [Int]()
        var weights = [Float](repeating: 0, count: stride * samples)
        for index in 0..<samples {
            let (from, to) = (max(index - reach, 0), min(index + reach + 1, samples))
            let values = kernel[from - index + reach..<to - index + reach]
            let sum = values.reduce(0, +)
            for (offset, value) in values.enumerated() { weights[index * stride + offset] = Float(value / sum) }
            first.append(from)
            count.append(to - from)
        }
        self.first = first
        self.count = count
        self.weights = weights
        self.stride = stride
    }

    private static func lanczos(_ x: Double) -> Double {
        let distance = abs(x)
        if distance < 1e-9 { return 1 }
        if distance >= 3 { return 0 }
        let angle = distance * Double.pi
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }
}
