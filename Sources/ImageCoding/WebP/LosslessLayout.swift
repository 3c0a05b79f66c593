// SPDX-License-Identifier: MIT
/// The memory that libwebp keeps for a lossless picture or alpha, from the data before its pixels.
///
/// A picture may be divided into blocks that choose among groups of codes. A group takes about ten kilobytes of memory
/// and as few as two bytes of the file, so that a file of 300 KB may need 600 MB. This is the only memory of a WebP
/// that the size of the picture does not bound.
///
/// - Source: RFC 9649, sections 3.5 to 3.7; libwebp, vp8l_dec.c, for the memory.
struct LosslessLayout {
    /// The bytes that libwebp keeps for images of transforms and of groups, and for the groups.
    private(set) var byteCount = 0
    private var bits: LosslessBits
    private let work: DecodingWork

    /// Creates a layout from the bits before the codes of the pixels.
    ///
    /// - Parameters:
    ///   - range: From the first transform on.
    ///   - size: The size of the picture, within the limits.
    /// - Throws: ``ImageError`` with `.malformed`; what `work` throws.
    init(_ bytes: [UInt8], in range: Range<Int>, size: PixelSize, work: DecodingWork) throws {
        bits = LosslessBits(bytes, in: range)
        self.work = work
        var size = size
        var seen = 0
        while bits.read(1) == 1 {
            let type = bits.read(2)
            guard seen & 1 << type == 0 else { throw LosslessLayout.broken }
            seen |= 1 << type
            switch type {
            case 0, 1: _ = try readImage(of: size.divided(by: 4 << bits.read(3)))
            case 2: break
            default:
                let colors = bits.read(8) + 1
                _ = try readImage(of: PixelSize(width: colors, height: 1))
                let pixelsInByte = colors > 16 ? 0 : colors > 4 ? 1 : colors > 2 ? 2 : 3
                size.width = (size.width + 1 << pixelsInByte - 1) >> pixelsInByte
            }
        }
        let cacheBits = try readCacheBits()
        guard bits.read(1) == 1 else { return }
        let groups = try readImage(of: size.divided(by: 4 << bits.read(3)))
        // Four bytes for each entry of the tables, and as many as there may be for an alphabet; the group's own fields.
        let entries = 2_300 + 654 + (1 << cacheBits) * 5 / 4
        byteCount = byteCount.saturatingAdd(groups.saturatingMultiply(entries * 4 + 800))
    }

    /// Reads an image that is coded without groups.
    ///
    /// - Returns: The number of groups that libwebp makes if the image assigns groups to blocks: the number of
    ///   different values in its red and green, or the largest value if that is at most 1,000.
    private mutating func readImage(of size: PixelSize) throws -> Int {
        byteCount = byteCount.saturatingAdd(size.bitmapByteCount)
        let cacheBits = try readCacheBits()
        let cached = cacheBits == 0 ? 0 : 1 << cacheBits
        let green = try readCode(256 + 24 + cached)
        let (red, blue, alpha) = (try readCode(256), try readCode(256), try readCode(256))
        let distance = try readCode(40)
        var values = [UInt64](repeating: 0, count: 1_024)
        var largest = 0
        var done = 0
        var nextLook = 0
        while done < size.pixelCount, !bits.isBeyondEnd {
            if done >= nextLook {
                try work.look()
                nextLook = done + 65_536
            }
            let symbol = bits.read(green)
            if symbol < 256 {
                let value = bits.read(red) << 8 | symbol
                _ = bits.read(blue) + bits.read(alpha)
                values[value >> 6] |= 1 << UInt64(value & 63)
                largest = max(largest, value)
                done += 1
            } else if symbol < 256 + 24 {
                done += readNumber(symbol - 256)
                _ = readNumber(bits.read(distance))
            } else {
                // A colour from the cache of earlier colours.
                done += 1
            }
        }
        guard !bits.isBeyondEnd else { throw LosslessLayout.broken }
        let distinct = values.reduce(1) { $0 + $1.nonzeroBitCount }
        return largest < 1_000 ? largest + 1 : distinct
    }

    /// Reads a length or a distance: a symbol and its extra bits.
    private mutating func readNumber(_ symbol: Int) -> Int {
        if symbol < 4 { return symbol + 1 }
        let count = (symbol - 2) >> 1
        return ((2 + symbol & 1) << count) + bits.read(count) + 1
    }

    private mutating func readCacheBits() throws -> Int {
        if bits.read(1) == 0 { return 0 }
        let count = bits.read(4)
        guard (1...11).contains(count) else { throw LosslessLayout.broken }
        return count
    }

    private mutating func readCode(_ alphabet: Int) throws -> LosslessCode {
        var lengths = [UInt8](repeating: 0, count: max(alphabet, 256))
        if bits.read(1) == 1 {
            let hasTwo = bits.read(1) == 1
            lengths[bits.read(bits.read(1) == 0 ? 1 : 8)] = 1
            if hasTwo { lengths[bits.read(8)] = 1 }
        } else {
            try readLengths(alphabet, into: &lengths)
        }
        // A simple code may have symbols outside its alphabet.
        guard let code = LosslessCode(lengths.prefix(alphabet)) else { throw LosslessLayout.broken }
        return code
    }

    private mutating func readLengths(_ alphabet: Int, into lengths: inout [UInt8]) throws {
        var ofLengths = [UInt8](repeating: 0, count: 19)
        for index in [17, 18, 0, 1, 2, 3, 4, 5, 16, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15].prefix(bits.read(4) + 4) {
            ofLengths[index] = UInt8(bits.read(3))
        }
        guard let code = LosslessCode(ofLengths[...]) else { throw LosslessLayout.broken }
        var left = bits.read(1) == 0 ? alphabet : 2 + bits.read(2 + 2 * bits.read(3))
        var symbol = 0
        var before: UInt8 = 8
        while symbol < alphabet, left > 0 {
            left -= 1
            let length = bits.read(code)
            if length < 16 {
                lengths[symbol] = UInt8(length)
                symbol += 1
                if length > 0 { before = UInt8(length) }
                continue
            }
            let count = length == 16 ? bits.read(2) + 3 : length == 17 ? bits.read(3) + 3 : bits.read(7) + 11
            guard symbol + count <= alphabet else { throw LosslessLayout.broken }
            if length == 16 { for index in symbol..<symbol + count { lengths[index] = before } }
            symbol += count
        }
    }

    private static let broken = ImageError(code: .malformed, message: "The WebP's lossless data is broken.")
}
