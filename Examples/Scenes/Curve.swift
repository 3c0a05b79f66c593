// SPDX-License-Identifier: MIT
import CPictureShims
import WebImageTesting

/// Curves from additions, multiplications, divisions and square roots alone, whose last bit is the same on every
/// machine.
enum Curve {
    static func clamp(_ value: Float) -> Float { value < 0 ? 0 : value > 1 ? 1 : value }

    /// From 0 at `start` to 1 at `end`, flat at both.
    static func smooth(_ start: Float, _ end: Float, _ value: Float) -> Float {
        let part = clamp((value - start) / (end - start))
        return part * part * (3 - 2 * part)
    }

    /// The sine of a number of turns, to a thousandth.
    static func sine(_ turns: Float) -> Float { swi_sine(turns) }

    static func cosine(_ turns: Float) -> Float { sine(turns + 0.25) }
}

extension SeededGenerator {
    /// A number from `low` up to `high`.
    mutating func between(_ low: Float, _ high: Float) -> Float {
        low + (high - low) * Float(next() >> 40) / Float(1 << 24)
    }

    mutating func choice<Element>(_ elements: [Element]) -> Element { elements[next(below: elements.count)] }
}
