// SPDX-License-Identifier: MIT
import CPictureShims

/// The seed of a picture, written into its pixels where no viewer sees it.
///
/// Light and colour that change slowly over the whole picture are what every encoder and every resize keeps, and slow
/// changes from yellow to blue are what an eye sees worst. The mark takes 28 waves, one to six half periods across and
/// one to five down, and moves the strength of each to the nearest number of steps that is even for a 0 and odd for a
/// 1: 16 bits of the seed and 12 of a checksum. So a wave changes by one step at most.
///
/// - Source: B. Chen and G. W. Wornell, "Quantization Index Modulation", 2001.
struct SeedMark {
    /// What a wave is made of, and how far apart a 0 and a 1 are, in steps of an 8-bit sample.
    ///
    /// The fewer pixels, the more of a wave a lossy encoder takes away: colour first, brightness last.
    private struct Carrier {
        let weights: [Int32]
        let step: Float
        let isColor: Bool

        static let large = Carrier(weights: [-2, -2, 4], step: 3, isColor: true)
        static let middle = Carrier(weights: [-2, -2, 4], step: 7, isColor: true)
        static let small = Carrier(weights: [1, 2, 1], step: 7, isColor: false)
    }

    private static let waveCount = 28

    private let width: Int
    private let height: Int

    /// - Returns: `nil` for a picture with less than 16 by 16 pixels, which holds no mark.
    init?(width: Int, height: Int) {
        guard width >= 16, height >= 16 else { return nil }
        (self.width, self.height) = (width, height)
    }

    /// Reads a seed from premultiplied pixels.
    ///
    /// - Returns: `nil` when the checksum is another one.
    func seed(in pixels: [UInt8]) -> Int? {
        // The carrier that was used leaves the least doubt.
        var best = (code: 0, doubt: Float.infinity)
        for carrier in [Carrier.large, .middle, .small] {
            var reading = (code: 0, doubt: Float(0))
            for (index, strength) in strengths(in: pixels, of: carrier).enumerated() {
                let place = strength / carrier.step - Self.offset(index)
                reading.code |= (Int(place.rounded()) & 1) << index
                reading.doubt += abs(place - place.rounded())
            }
            if reading.doubt < best.doubt { best = reading }
        }
        let seed = best.code & 0xFFFF
        return Self.code(seed) == best.code ? seed : nil
    }

    /// Writes a seed into premultiplied pixels.
    func write(_ seed: Int, into pixels: inout [UInt8]) {
        let code = Self.code(seed)
        let side = min(width, height)
        let carrier: Carrier = side >= 160 ? .large : side >= 80 ? .middle : .small
        // Once is enough, but for pictures with black, white or transparent parts, which take less than they are given.
        for _ in 0..<12 {
            var changes: [Float] = []
            for (index, strength) in strengths(in: pixels, of: carrier).enumerated() {
                let place = strength / carrier.step - Self.offset(index)
                let bit = Float(code >> index & 1)
                changes.append((((place - bit) / 2).rounded() * 2 + bit - place) * carrier.step)
            }
            if changes.allSatisfy({ abs($0) < carrier.step / 12 }) { return }
            unsafe swi_mark_add(&pixels, Int32(width), Int32(height), changes, carrier.isColor ? 1 : 0)
        }
    }

    /// How strong each wave is, in steps of an 8-bit sample.
    private func strengths(in pixels: [UInt8], of carrier: Carrier) -> [Float] {
        var strengths = [Float](repeating: 0, count: Self.waveCount)
        unsafe swi_mark_read(pixels, Int32(width), Int32(height), carrier.weights, &strengths)
        return strengths
    }

    /// Where a wave's steps begin, so that a picture of one colour holds no seed.
    private static func offset(_ index: Int) -> Float { Float(index * 7 % 12) / 6 }

    /// A seed under 12 bits of a checksum.
    private static func code(_ seed: Int) -> Int {
        var mixed = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 ^ 0x5EED
        mixed = (mixed ^ mixed >> 29) &* 0xBF58_476D_1CE4_E5B9
        return seed | Int(mixed >> 52) << 16
    }
}
