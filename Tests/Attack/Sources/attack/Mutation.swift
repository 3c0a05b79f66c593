// SPDX-License-Identifier: MIT
import WebImageTesting

/// Damages a small file: the same seed makes the same damage.
struct Mutation {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15) }

    mutating func next(below limit: Int) -> Int { Int(random.next() % UInt64(max(1, limit))) }

    /// One to six changes, each of a kind that parsers are known to trip over.
    mutating func damaged(_ original: [UInt8], with other: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0...next(below: 6) where !bytes.isEmpty {
            let place = next(below: bytes.count)
            let length = min(1 + next(below: 1 << next(below: 8)), bytes.count - place)
            switch next(below: 8) {
            case 0: bytes[place] ^= 1 << UInt8(next(below: 8))
            case 1: bytes[place] = UInt8(next(below: 256))
            case 2, 3: write(&bytes, place, [0, 1, 0x7F, 0x80, 0xFF][next(below: 5)])
            case 4: bytes.removeSubrange(place..<place + length)
            case 5: bytes.insert(contentsOf: bytes[place..<place + length], at: next(below: bytes.count))
            case 6:
                let start = next(below: other.count)
                bytes.replaceSubrange(place..<place + length, with: other[start..<min(start + length, other.count)])
            default: bytes.removeSubrange(place...)
            }
        }
        return bytes
    }

    /// A number at the edge of what its field holds, in either order of bytes.
    private mutating func write(_ bytes: inout [UInt8], _ place: Int, _ byte: UInt8) {
        let length = min([1, 2, 4, 8][next(below: 4)], bytes.count - place)
        for offset in 0..<length { bytes[place + offset] = byte }
        if next(below: 2) == 0, length > 1 { bytes[place + (next(below: 2) == 0 ? 0 : length - 1)] ^= 0x7F }
    }

    /// Puts the checksums of a PNG's chunks right, so that the damage reaches what is behind them.
    static func repairPNG(_ bytes: inout [UInt8]) {
        var place = 8
        while place + 12 <= bytes.count {
            let length = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length <= bytes.count - place - 12 else { return }
            let end = place + 8 + length
            let sum = ~bytes[place + 4..<end].reduce(~UInt32(0)) { sum, byte in
                (0..<8).reduce(sum ^ UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1
                }
            }
            for index in 0..<4 { bytes[end + index] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * index)) }
            place = end + 4
        }
    }
}
