// SPDX-License-Identifier: MIT
/// A 128-bit digest of a key: the name of its file, and its name in the index.
///
/// The first half comes from the name of the original, so everything that was made of one original lies in one folder
/// and begins alike.
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

    /// The digest of the content of a file.
    init(of bytes: [UInt8]) { (high, low) = Digest.of(bytes) }

    init(of key: CacheKey) {
        let whole = Digest.of(key.rawValue)
        high = key.isOriginal ? whole.0 : Digest.of(key.original.rawValue).0
        low = whole.1
    }

    /// The number of the folder, from the last byte of the first half.
    var folderNumber: Int { Int(truncatingIfNeeded: high & 0xFF) }

    /// Whether both were made of one original.
    func isOfSameOriginal(as other: KeyDigest) -> Bool { high == other.high }

    /// The folder, `00` to `ff`.
    var folder: String { EntryFiles.entryFolders[folderNumber] }

    /// The file's name: 32 hexadecimal digits.
    var fileName: String {
        unsafe String(unsafeUninitializedCapacity: 32) { unsafe write(into: $0) }
    }

    /// The path of the file in the folder of a cache: `folder`, `/`, two digits, `/`, the file's name.
    func path(in folder: String) -> String {
        let length = folder.utf8.count
        return unsafe String(unsafeUninitializedCapacity: length + 36) { buffer in
            _ = unsafe buffer.initialize(from: folder.utf8)
            _ = unsafe write(into: UnsafeMutableBufferPointer(rebasing: buffer[(length + 4)...]))
            unsafe buffer[length] = UInt8(ascii: "/")
            // The folder is called after the last byte of the first half, which are the name's digits 14 and 15.
            unsafe buffer[length + 1] = unsafe buffer[length + 18]
            unsafe buffer[length + 2] = unsafe buffer[length + 19]
            unsafe buffer[length + 3] = UInt8(ascii: "/")
            return length + 36
        }
    }

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

extension CacheKey {
    /// The digest of the key as 32 hexadecimal digits; the first half is that of the original.
    package var digestText: String { KeyDigest(of: self).fileName }
}
