/// Every scenario runs once per seed; a failing interleaving is named by its seed and replays exactly.
let seeds: Range<UInt64> = 0..<300

struct Broken: Error {}

/// Small, fast and repeatable, for tests that draw their own scenarios.
struct XorShift: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = (seed &+ 1) &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
