// SPDX-License-Identifier: MIT
/// The pictures of a Windows icon or cursor: the largest one is shown.
///
/// - Source: Microsoft, Icons; the same in a file of its own.
struct ICODirectory {
    /// A picture: a bitmap without the header of a file, or a PNG.
    struct Entry {
        /// The bytes of the picture, as far as there are any.
        let range: Range<Int>
        /// Whether the file has all of them.
        let isWhole: Bool
        /// The announced pixels and bits; entries lie, so they choose alone.
        fileprivate let rank: (pixels: Int, bits: Int)
    }

    /// The entry with most pixels, and with most bits among those.
    let best: Entry

    /// Reads the directory.
    ///
    /// - Throws: ``ImageError``: `.truncated` without a whole directory, `.malformed` without entries.
    init(_ bytes: [UInt8]) throws(ImageError) {
        let reader = BMPNumbers(bytes: bytes)
        let isCursor = try reader.u16(2) == 2
        var best: Entry?
        for index in 0..<(try reader.u16(4)) {
            let at = 6 + index * 16
            let start = try reader.u32(at + 12)
            let length = try reader.u32(at + 8)
            // 0 stands for 256; a cursor has its place in the field of bits.
            let sides = (Int(bytes[at]) + 255) % 256 + 1
            let pixels = sides * ((Int(bytes[at + 1]) + 255) % 256 + 1)
            let rank = (pixels: pixels, bits: isCursor ? 0 : try reader.u16(at + 6))
            if let best, best.rank >= rank { continue }
            let end = min(start + length, bytes.count)
            best = Entry(range: min(start, end)..<end, isWhole: start + length <= bytes.count, rank: rank)
        }
        guard let best else {
            throw ImageError(code: .malformed, message: "The icon has no pictures.", byteOffset: 4)
        }
        self.best = best
    }
}
