import Foundation

/// For each output sample of one axis: which source samples it is made of, and how much of each.
///
/// Lanczos with three lobes, widened when shrinking so that no source sample is left out. Taps that would reach over the
/// edge are dropped and the rest is scaled up to a sum of one, so edges neither darken nor repeat.
struct ResamplingTaps: Sendable {
    /// First source sample per output sample; never decreasing.
    let first: [Int]
    /// How many source samples, per output sample; at least one.
    let count: [Int]
    /// `stride` weights per output sample, of which `count` are used.
    let weights: [Float]
    /// Room for the largest count.
    let stride: Int

    /// Plans one axis.
    ///
    /// - Parameters:
    ///   - source: How many source samples exist.
    ///   - start: Where the window that becomes the output begins, in source samples.
    ///   - length: How long the window is, in source samples.
    ///   - target: How many output samples the window becomes.
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

    private static func lanczos(_ x: Double) -> Double {
        let distance = abs(x)
        if distance < 1e-9 { return 1 }
        if distance >= 3 { return 0 }
        let angle = distance * Double.pi
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }
}
