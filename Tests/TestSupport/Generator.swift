// SPDX-License-Identifier: MIT
import WebImageTesting

/// Draws the input of one case of a ``Property``.
///
/// Every value is made of choices: numbers below a bound, of which 0 is the simplest. So an input can be drawn again
/// from its choices, and a smaller one from fewer or lower choices, whatever its type is. Write ranges and lists with
/// the simplest value first.
package struct Generator {
    /// The choices so far.
    private(set) var choices: [UInt64] = []
    /// The choices to repeat; `nil` to make new ones.
    private let given: [UInt64]?
    private var random: SeededGenerator

    /// Makes choices of its own.
    package init(seed: UInt64) { (given, random) = (nil, SeededGenerator(seed: seed)) }

    /// Repeats choices, and goes on with the simplest ones.
    init(_ given: [UInt64]) { (self.given, random) = (given, SeededGenerator(seed: 0)) }

    /// A number from 0 to a bound.
    package mutating func choice(upTo bound: UInt64) -> UInt64 {
        var choice: UInt64 = 0
        if let given {
            choice = choices.count < given.count ? min(given[choices.count], bound) : 0
        } else {
            choice = UInt64.random(in: 0...bound, using: &random)
        }
        choices.append(choice)
        return choice
    }

    /// A number of a range; the first one is the simplest.
    package mutating func number(_ range: ClosedRange<Int>) -> Int {
        Int(truncatingIfNeeded: choice(upTo: UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound))))
            &+ range.lowerBound
    }

    /// `true` once in so many times; `false` is simpler.
    package mutating func isTrue(oneIn count: Int = 2) -> Bool { number(0...count - 1) == count - 1 }

    /// One of some values; the first one is the simplest.
    package mutating func oneOf<Element>(_ elements: [Element]) -> Element { elements[number(0...elements.count - 1)] }

    /// A value, or `nil`, which is simpler.
    package mutating func maybe<Element>(_ draw: (inout Generator) -> Element) -> Element? {
        isTrue() ? draw(&self) : nil
    }

    /// Some values.
    ///
    /// Each comes with a choice whether there is one, so that a smaller input can do without it.
    package mutating func list<Element>(_ count: ClosedRange<Int>, _ draw: (inout Generator) -> Element) -> [Element] {
        var elements: [Element] = []
        while elements.count < count.upperBound {
            guard elements.count < count.lowerBound || number(0...5) > 0 else { break }
            elements.append(draw(&self))
        }
        return elements
    }

    /// A text with up to two letters put in or taken out.
    package mutating func edited(_ text: String, with alphabet: String) -> String {
        var letters = Array(text)
        for _ in 0..<number(0...2) {
            let place = number(0...letters.count)
            if place < letters.count, isTrue() {
                letters.remove(at: place)
            } else {
                letters.insert(oneOf(Array(alphabet)), at: place)
            }
        }
        return String(letters)
    }
}
