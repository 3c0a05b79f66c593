// SPDX-License-Identifier: MIT
import CSceneShims
import WebImageTesting

/// Smooth noise around 0, the same for the same seed.
///
/// It is drawn a row at a time: along a row it is a curve of the third degree between two columns of its lattice.
///
/// - Source: K. Perlin, "An Image Synthesizer", 1985, and "Improving Noise", 2002.
struct Noise {
    private let order: [UInt8]

    init(_ random: inout SeededGenerator) {
        var order = (0...255).map { UInt8($0) }
        for index in 0..<255 { order.swapAt(index, index + random.next(below: 256 - index)) }
        self.order = order
    }

    /// Adds one octave to a row: `start` and `step` say where in the lattice its first pixel lies and how far the next.
    func add(
        _ amount: Float, to row: UnsafeMutablePointer<Float>, _ count: Int, at y: Float, from start: Float, step: Float
    ) {
        let floor = y.rounded(.down)
        let column = start.rounded(.down)
        unsafe order.withUnsafeBufferPointer { order in
            unsafe swi_noise_row(
                row, Int32(count), order.baseAddress, amount, Int(floor), y - floor, Int(column), start - column, step)
        }
    }

    /// Adds octaves, each half as strong and twice as fine as the one before, while they are coarser than pixels.
    ///
    /// - Parameters:
    ///   - x: How many cells of the lattice the first octave has in a unit across.
    ///   - y: The row in the lattice of the first octave.
    ///   - shift: How far the lattice is moved to the left, in cells.
    func addOctaves(
        _ octaves: Int, _ amount: Float, to row: UnsafeMutablePointer<Float>, in view: View, x: Float, y: Float,
        shift: Float = 0,
        gain: Float = 0.5
    ) {
        var (scale, strength) = (Float(1), amount)
        for octave in 0..<octaves {
            let step = view.step * x * scale
            if octave > 0, step > 0.6 { return }
            let start = (shift + Float(octave) * 17.3) + shift * (scale - 1) + step / 2
            unsafe add(
                strength, to: row, view.width, at: y * scale + Float(octave) * 31.7, from: start, step: step)
            scale *= 2
            strength *= gain
        }
    }

    /// Octaves as a row of their own.
    func curve(_ octaves: Int, _ amount: Float, in view: View, x: Float, y: Float, shift: Float = 0) -> [Float] {
        var row = [Float](repeating: 0, count: view.width)
        unsafe row.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe addOctaves(octaves, amount, to: start, in: view, x: x, y: y, shift: shift)
        }
        return row
    }
}
