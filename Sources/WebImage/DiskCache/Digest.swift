/// The first 128 bits of BLAKE2b, made for that length: cryptographic, and about as fast as a checksum for one URL.
///
/// - Source: RFC 7693, sections 2.7, 3.1 and 3.2; 128-bit output, no key.
enum Digest {
    private static let blockLength = 128
    private static let start: [SIMD4<UInt64>] = [
        SIMD4(0x6A09_E667_F3BC_C908, 0xBB67_AE85_84CA_A73B, 0x3C6E_F372_FE94_F82B, 0xA54F_F53A_5F1D_36F1),
        SIMD4(0x510E_527F_ADE6_82D1, 0x9B05_688C_2B3E_6C1F, 0x1F83_D9AB_FB41_BD6B, 0x5BE0_CD19_137E_2179),
    ]
    /// Which words of the message each of the twelve rounds takes, in order.
    private static let schedule: [UInt8] = {
        let rounds: [[UInt8]] = [
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
            [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
            [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
            [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
            [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
            [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
            [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
            [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
            [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
            [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
        ]
        return (rounds + rounds[..<2]).flatMap { $0 }
    }()

    /// The digest of `bytes`: its first eight bytes and its last, each as a number that is written like them.
    ///
    /// - Complexity: O(n), one step for each 128 bytes and at least one.
    static func of(_ bytes: [UInt8]) -> (UInt64, UInt64) {
        var state = (start[0], start[1])
        state.0[0] ^= 0x0101_0000 ^ 16
        var words = [UInt64](repeating: 0, count: 16)
        var offset = 0
        repeat {
            let count = min(blockLength, bytes.count - offset)
            for place in 0..<16 { words[place] = 0 }
            for place in 0..<count {
                words[place &>> 3] |= UInt64(bytes[offset &+ place]) &<< UInt64(8 &* (place & 7))
            }
            offset += count
            mix(&state, words, counted: UInt64(offset), isLast: offset == bytes.count)
        } while offset < bytes.count
        return (state.0[0].byteSwapped, state.0[1].byteSwapped)
    }

    /// The compression function F.
    private static func mix(
        _ state: inout (SIMD4<UInt64>, SIMD4<UInt64>), _ words: [UInt64], counted count: UInt64, isLast: Bool
    ) {
        var rows = (state.0, state.1, start[0], start[1])
        rows.3 ^= SIMD4(count, 0, isLast ? .max : 0, 0)
        for round in 0..<12 {
            let place = round &* 16
            step(&rows, gather(words, place), gather(words, place &+ 1))
            // The diagonals become columns, and columns again.
            rows.1 = SIMD4(rows.1[1], rows.1[2], rows.1[3], rows.1[0])
            rows.2 = SIMD4(rows.2[2], rows.2[3], rows.2[0], rows.2[1])
            rows.3 = SIMD4(rows.3[3], rows.3[0], rows.3[1], rows.3[2])
            step(&rows, gather(words, place &+ 8), gather(words, place &+ 9))
            rows.1 = SIMD4(rows.1[3], rows.1[0], rows.1[1], rows.1[2])
            rows.2 = SIMD4(rows.2[2], rows.2[3], rows.2[0], rows.2[1])
            rows.3 = SIMD4(rows.3[1], rows.3[2], rows.3[3], rows.3[0])
        }
        state.0 ^= rows.0 ^ rows.2
        state.1 ^= rows.1 ^ rows.3
    }

    /// The mixing function G on four columns at once.
    @inline(__always)
    private static func step(
        _ rows: inout (SIMD4<UInt64>, SIMD4<UInt64>, SIMD4<UInt64>, SIMD4<UInt64>), _ first: SIMD4<UInt64>,
        _ second: SIMD4<UInt64>
    ) {
        rows.0 = rows.0 &+ rows.1 &+ first
        rows.3 = rotate(rows.3 ^ rows.0, 32)
        rows.2 = rows.2 &+ rows.3
        rows.1 = rotate(rows.1 ^ rows.2, 24)
        rows.0 = rows.0 &+ rows.1 &+ second
        rows.3 = rotate(rows.3 ^ rows.0, 16)
        rows.2 = rows.2 &+ rows.3
        rows.1 = rotate(rows.1 ^ rows.2, 63)
    }

    @inline(__always)
    private static func rotate(_ row: SIMD4<UInt64>, _ bits: UInt64) -> SIMD4<UInt64> {
        (row &>> SIMD4(repeating: bits)) | (row &<< SIMD4(repeating: 64 &- bits))
    }

    /// Every second one of eight words in the order of the schedule.
    @inline(__always)
    private static func gather(_ words: [UInt64], _ place: Int) -> SIMD4<UInt64> {
        SIMD4(
            words[Int(schedule[place])], words[Int(schedule[place &+ 2])], words[Int(schedule[place &+ 4])],
            words[Int(schedule[place &+ 6])])
    }
}
