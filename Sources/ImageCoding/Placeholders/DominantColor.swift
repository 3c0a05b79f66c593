// SPDX-License-Identifier: MIT
extension DecodedImage {
    /// The colour that most of the first frame has, opaque.
    ///
    /// Colours are counted in cubes of 16 steps a channel, weighted by their alpha; the result is the mean of the
    /// fullest cube. A picture beyond 128 pixels a side is made smaller first.
    ///
    /// - Returns: `nil` for a picture that is transparent everywhere.
    /// - Throws: ``ImageError``; `CancellationError`.
    /// - Complexity: O(pixels).
    public func dominantColor() throws -> PixelColor? {
        let small = try shrunk(to: 128)
        let straight = try Bitmap.unpremultiplied(small.pixels)
        var cubes = [SIMD4<Int>](repeating: .zero, count: 4_096)
        for at in stride(from: 0, to: straight.count, by: 4) {
            let (red, green, blue) = (Int(straight[at]), Int(straight[at + 1]), Int(straight[at + 2]))
            let alpha = Int(straight[at + 3])
            cubes[(red >> 4) << 8 | green & 0xF0 | blue >> 4] &+= SIMD4(red, green, blue, 1) &* alpha
        }
        guard let fullest = cubes.max(by: { $0.w < $1.w }), fullest.w > 0 else { return nil }
        func mean(_ sum: Int) -> UInt8 { UInt8((sum + fullest.w / 2) / fullest.w) }
        return PixelColor(red: mean(fullest.x), green: mean(fullest.y), blue: mean(fullest.z))
    }
}
