// SPDX-License-Identifier: MIT
/// Reads the bits of a lossless WebP, lowest first, and numbers in its codes.
///
/// - Source: RFC 9649, section 3.
struct LosslessBits {
    private let bytes: [UInt8]
    private let end: Int
    private var offset: Int
    private var pending: UInt64 = 0
    private var pendingCount = 0

    init(_ bytes: [UInt8], in range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Whether more bits were read than exist; the bits beyond the end are zeros.
    private(set) var isBeyondEnd = false

    /// Reads up to 24 bits.
    mutating func read(_ count: Int) -> Int {
        fill(count)
        let value = Int(pending & (1 << UInt64(count) - 1))
        pending >>= UInt64(count)
        pendingCount -= count
        return value
    }

    /// Reads one symbol.
    mutating func read(_ code: LosslessCode) -> Int {
        fill(15)
        let entry = code.entries[Int(pending) & (code.entries.count - 1)]
        let count = Int(entry >> 16)
        pending >>= UInt64(count)
        pendingCount -= count
        if pendingCount < padding { isBeyondEnd = true }
        return Int(entry & 0xFFFF)
    }

    /// Zeros among the pending bits, after the end of the bytes.
    private var padding = 0

    private mutating func fill(_ count: Int) {
        while pendingCount < count {
            if offset < end {
                pending |= UInt64(bytes[offset]) << UInt64(pendingCount)
                offset += 1
            } else {
                padding += 8
            }
            pendingCount += 8
        }
        if padding > 64 { isBeyondEnd = true }
    }
}

/// A prefix code of a lossless WebP as a table over the next bits.
///
/// - Source: RFC 9649, section 3.7.2.1.
struct LosslessCode {
    /// The length of the code in the upper half and its symbol in the lower one, indexed by the next bits; the count is
    /// a power of two.
    let entries: [UInt32]

    /// Creates a table of canonical codes.
    ///
    /// - Parameter lengths: The length of each symbol's code in bits, up to 15; 0 for symbols without one.
    /// - Returns: `nil` unless the code is complete, or there is one symbol, which takes no bits.
    init?(_ lengths: ArraySlice<UInt8>) {
        let used = lengths.indices.filter { lengths[$0] > 0 }
        guard let longest = used.map({ lengths[$0] }).max() else { return nil }
        if used.count == 1 {
            entries = [UInt32(used[0])]
            return
        }
        var table = [UInt32](repeating: 0, count: 1 << Int(longest))
        var code = 0
        var symbols = [[Int]](repeating: [], count: Int(longest) + 1)
        for symbol in used { symbols[Int(lengths[symbol])].append(symbol) }
        for length in 1...Int(longest) {
            for symbol in symbols[length] {
                if code >= 1 << length { return nil }
                let first = LosslessCode.reversed(code, length)
                for index in stride(from: first, to: table.count, by: 1 << length) {
                    table[index] = UInt32(length) << 16 | UInt32(symbol)
                }
                code += 1
            }
            code <<= 1
        }
        // Complete when the codes of the longest length end with ones.
        guard code == 2 << Int(longest) else { return nil }
        entries = table
    }

    private static func reversed(_ code: Int, _ length: Int) -> Int {
        (0..<length).reduce(0) { $0 << 1 | code >> $1 & 1 }
    }
}
