/// A 128-bit digest of a key: the name of its file, and its name in the index.
///
/// Two checksums of one text under different seeds. Not cryptographic: keys may collide by chance or by design, so the
/// entry holds the whole key and a reader compares it.
struct KeyDigest: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(of key: CacheKey) {
        let bytes = Array(key.rawValue.utf8)
        high = Checksum.of(bytes)
        low = Checksum.of(bytes, seed: 0x2545_F491_4F6C_DD1D)
    }

    /// The digest is spread evenly already.
    func hash(into hasher: inout Hasher) { hasher.combine(low) }

    /// The folder, `00` to `ff`, from the last byte.
    var folder: String { String(decoding: Self.hex(low)[14...], as: UTF8.self) }

    /// The file's name: 32 hexadecimal digits.
    var fileName: String { String(decoding: Self.hex(high) + Self.hex(low), as: UTF8.self) }

    /// The digest that a file is named after; `nil` when no entry is called so.
    init?(fileName: String) {
        let digits = Array(fileName.utf8)
        guard digits.count == 32, let high = Self.value(digits[..<16]), let low = Self.value(digits[16...]) else {
            return nil
        }
        (self.high, self.low) = (high, low)
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func hex(_ value: UInt64) -> [UInt8] {
        (0..<16).map { digits[Int(truncatingIfNeeded: value &>> UInt64(60 &- 4 &* $0)) & 15] }
    }

    /// Lower case only: what this type writes.
    private static func value(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): value = value << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return value
    }
}
