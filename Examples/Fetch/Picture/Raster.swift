// SPDX-License-Identifier: MIT
import WebImage

/// The pixels of a picture as characters: 2 by 4 of them to a cell, of which two above each other are one part.
struct Raster {
    private typealias Colour = SIMD4<Int>

    private let picture: DecodedImage
    /// None has its top left part in the colour of the letter: some fonts leave a line above their blocks.
    private let shapes: [Int]

    /// By the parts that have the colour of the letter: top left 1, top right 2, bottom left 4, bottom right 8.
    private static let characters = Array(" ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")

    /// - Parameter isHalved: Whether the upper and the lower half are the only shape.
    init(_ picture: DecodedImage, isHalved: Bool) {
        self.picture = picture
        shapes = isHalved ? [0, 12] : Array(stride(from: 0, to: 16, by: 2))
    }

    /// The character for a cell, with the shape and the two colours that are nearest to its parts.
    func cell(_ column: Int, _ row: Int) -> String {
        let parts = (0..<4).map { colour(column * 2 + $0 % 2, row * 4 + $0 / 2 * 2) }
        let whole = parts.reduce(Colour(), &+)
        // The squared sums of both sides, divided by their numbers, are largest where the differences are smallest. A
        // little is asked of a shape, so that noise makes none.
        func gain(_ shape: Int) -> Int {
            let ink = sum(parts, shape)
            return power(ink, shape.nonzeroBitCount) + power(whole &- ink, 4 - shape.nonzeroBitCount)
                - (shape == 0 ? 0 : 48)
        }
        let best = shapes.map { (shape: $0, gain: gain($0)) }.max { $0.gain < $1.gain }?.shape ?? 0
        let ink = sum(parts, best)
        let ground = whole &- ink
        return code(48, ground, 4 - best.nonzeroBitCount) + code(38, ink, best.nonzeroBitCount)
            + String(Self.characters[best])
    }

    /// The sum of two pixels above each other; what is beyond an edge looks as the edge does, and transparent pixels as
    /// dark as the usual terminal.
    private func colour(_ x: Int, _ y: Int) -> Colour {
        [y, y + 1].reduce(Colour()) { sum, y in
            let start = (min(y, picture.height - 1) * picture.width + min(x, picture.width - 1)) * 4
            return sum &+ Colour((0..<4).map { Int(picture.pixels[start + $0]) })
        }
    }

    private func sum(_ parts: [Colour], _ shape: Int) -> Colour {
        parts.indices.reduce(Colour()) { shape >> $1 & 1 == 1 ? $0 &+ parts[$1] : $0 }
    }

    private func power(_ sum: Colour, _ count: Int) -> Int {
        count == 0 ? 0 : (sum.x * sum.x + sum.y * sum.y + sum.z * sum.z) / count
    }

    private func code(_ command: Int, _ sum: Colour, _ count: Int) -> String {
        count == 0 ? "" : "\u{1B}[\(command);2;\(sum.x / count / 2);\(sum.y / count / 2);\(sum.z / count / 2)m"
    }
}
