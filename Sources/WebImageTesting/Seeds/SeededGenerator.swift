// SPDX-License-Identifier: MIT
/// A random number generator that gives the same numbers for the same seed, on every machine.
///
/// - Complexity: O(1) time a number, one word of memory.
/// - Source: SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Creates a generator.
    ///
    /// Neighbouring seeds give unrelated numbers.
    public init(seed: UInt64) { state = seed }

    /// The next number, any of 2^64.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The next number below a limit, by the remainder of a division.
    package mutating func next(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
