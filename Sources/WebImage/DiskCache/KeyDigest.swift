/// A 128-bit digest of a key: the name of its file, and its name in the index.
///
/// Cryptographic, so that untrusted keys cannot be made to collide and evict each other. A collision of its 128 bits
/// never shows a wrong picture: the entry holds the whole key, and a reader compares it.
struct KeyDigest: Hashable, Sendable {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    init(of key: CacheKey) {
        (high, low) = Digest.of(Array(key.rawValue.utf8))
    }

    /// The number of the folder, from the last byte.
    var folderNumber: Int { Int(truncatingIfNeeded: low & 0xFF) }

    /// The folder, `00` to `ff`.
    var folder: String { EntryFiles.entryFolders[folderNumber] }

    /// The file's name: 32 hexadecimal digits.
    var fileName: String {
        unsafe String(unsafeUninitializedCapacity: 32) { unsafe write(into: $0) }
    }

    /// `/`, the folder, `/`, the file's name.
    var pathInCache: String { "/\(folder)/\(fileName)" }

    /// Creates the digest that a file is named after; `nil` when no entry has such a name.
    init?(fileName: String) {
        let digits = Array(fileName.utf8)
        guard digits.count == 32, let high = Self.value(digits[..<16]), let low = Self.value(digits[16...]) else {
            return nil
        }
        (self.high, self.low) = (high, low)
    }

    /// Writes 32 digits.
    private func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        for place in 0..<32 {
            let half = place < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: half &>> UInt64(60 &- 4 &* (place & 15))) & 15
            unsafe buffer[place] = digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10
        }
        return 32
    }

    /// Lower case only, because this type writes lower case.
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
