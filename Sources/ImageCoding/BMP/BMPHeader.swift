// SPDX-License-Identifier: MIT
/// The header of a Windows bitmap, and where its parts are.
///
/// - Source: Microsoft, Bitmap Storage and BITMAPINFOHEADER to BITMAPV5HEADER; OS/2, BITMAPINFOHEADER2.
struct BMPHeader {
    /// How the pixels are stored.
    enum Coding {
        /// Indexes of 1, 2, 4 or 8 bits.
        case palette
        /// Runs of indexes of 4 or 8 bits.
        case runs
        /// Channels of any bits of 16, 24 or 32.
        case fields(BMPFields)
    }

    let size: PixelSize
    /// Whether the first row in the file is the upper one.
    let isTopDown: Bool
    let bitsPerPixel: Int
    let coding: Coding
    /// RGB without alpha, four bytes a colour; 256 colours, those that the file lacks black.
    private(set) var palette: [UInt8] = []
    /// Where the pixels begin.
    let pixelStart: Int

    /// Bytes from row to row: rows end at multiples of four bytes.
    var stride: Int { (size.width * bitsPerPixel + 31) / 32 * 4 }

    /// Whether pixels may be transparent.
    var hasAlpha: Bool {
        if case .fields(let fields) = coding { return fields.alpha.bitCount > 0 }
        return false
    }

    /// Creates a header.
    ///
    /// - Parameters:
    ///   - bytes: The file or its beginning.
    ///   - start: Where the header begins, after the header of the file.
    ///   - pixelStart: Where the pixels begin; `nil` after the palette.
    ///   - isIcon: Whether the height counts a mask as well, and the fourth byte of 32 bits is alpha.
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unsupportedFormat`.
    init(_ bytes: [UInt8], at start: Int, pixelStart: Int?, isIcon: Bool = false) throws(ImageError) {
        let reader = BMPNumbers(bytes: bytes)
        let length = try reader.u32(start)
        guard [12, 16, 40, 52, 56, 64, 108, 124].contains(length) else { throw BMPHeader.broken("header", start) }
        guard length <= bytes.count - start else { throw reader.end }
        let isCore = length == 12
        let width = try isCore ? reader.u16(start + 4) : reader.i32(start + 4)
        let height = try isCore ? reader.u16(start + 6) : reader.i32(start + 8)
        bitsPerPixel = try reader.u16(start + (isCore ? 10 : 14))
        let compression = try length < 40 ? 0 : reader.u32(start + 16)
        let colorCount = try length < 40 ? 0 : reader.u32(start + 32)
        let shownHeight = isIcon ? abs(height) / 2 : abs(height)
        guard (1...BMPHeader.longestSide).contains(width), (1...BMPHeader.longestSide).contains(shownHeight) else {
            throw BMPHeader.broken("size", start)
        }
        size = PixelSize(width: width, height: shownHeight)
        isTopDown = height < 0
        var end = start + length
        switch (compression, bitsPerPixel) {
        case (0, 1), (0, 2), (0, 4), (0, 8): coding = .palette
        case (1, 8), (2, 4):
            // OS/2 uses the same numbers; a picture of runs is never stored from the top.
            guard !isTopDown else { throw BMPHeader.broken("run", start) }
            coding = .runs
        case (0, 16): coding = .fields(BMPFields(red: 0x7C00, green: 0x03E0, blue: 0x001F, alpha: 0))
        case (0, 24), (0, 32):
            let alpha: UInt32 = isIcon && bitsPerPixel == 32 ? 0xFF00_0000 : 0
            coding = .fields(BMPFields(red: 0xFF_0000, green: 0xFF00, blue: 0xFF, alpha: alpha))
        case (3, 16), (3, 32), (6, 16), (6, 32):
            // Longer headers contain the masks; after the old one, there are three, or four for 6.
            let count = length >= 56 || length == 40 && compression == 6 ? 4 : 3
            var masks: [UInt32] = [0, 0, 0, 0]
            for index in 0..<count { masks[index] = UInt32(try reader.u32(start + 40 + index * 4)) }
            if length == 40 { end += count * 4 }
            guard bitsPerPixel == 32 || masks.allSatisfy({ $0 <= 0xFFFF }) else {
                throw BMPHeader.broken("mask", start + 40)
            }
            coding = .fields(BMPFields(red: masks[0], green: masks[1], blue: masks[2], alpha: masks[3]))
        default:
            throw ImageError(
                code: .unsupportedFormat,
                message: "A bitmap of \(bitsPerPixel) bits in compression \(compression) is not read here.",
                byteOffset: start)
        }
        if bitsPerPixel <= 8 {
            let entry = isCore ? 3 : 4
            var count = colorCount == 0 ? 1 << bitsPerPixel : min(colorCount, 256)
            // Old files announce more colours than fit before the pixels.
            if let pixelStart { count = min(count, max(pixelStart - end, 0) / entry) }
            palette = [UInt8](repeating: 0, count: 1_024)
            guard end + count * entry <= bytes.count else { throw reader.end }
            for index in 0..<count {
                for channel in 0..<3 { palette[index * 4 + channel] = bytes[end + index * entry + 2 - channel] }
            }
            end += count * entry
        }
        self.pixelStart = max(pixelStart ?? end, end)
    }

    /// Beyond every limit, and small enough that no product of two sides overflows.
    private static let longestSide = 1 << 24

    private static func broken(_ part: String, _ offset: Int) -> ImageError {
        ImageError(code: .malformed, message: "The bitmap's \(part) is broken.", byteOffset: offset)
    }

}

/// Numbers of a file, least significant byte first.
struct BMPNumbers {
    let bytes: [UInt8]

    func u16(_ offset: Int) throws(ImageError) -> Int {
        guard offset <= bytes.count - 2 else { throw end }
        return bytes.littleEndian(2, at: offset)
    }

    func u32(_ offset: Int) throws(ImageError) -> Int { try u16(offset) | u16(offset + 2) << 16 }

    func i32(_ offset: Int) throws(ImageError) -> Int { Int(Int32(truncatingIfNeeded: try u32(offset))) }

    /// The error of a file that ends too early.
    var end: ImageError {
        ImageError(code: .truncated, message: "The picture ends in its header.", byteOffset: bytes.count)
    }
}

/// Where the channels are in a pixel of 16, 24 or 32 bits.
struct BMPFields {
    /// One channel.
    struct Field {
        let shift: Int
        let bitCount: Int

        /// The longest run of ones that the mask begins with; masks with gaps do not exist in practice.
        init(_ mask: UInt32) {
            shift = mask == 0 ? 0 : mask.trailingZeroBitCount
            bitCount = mask == 0 ? 0 : (~(mask >> UInt32(shift))).trailingZeroBitCount
        }

        /// The channel of a pixel, scaled to eight bits and rounded down.
        func value(_ pixel: UInt32) -> UInt8 {
            if bitCount == 0 { return 0 }
            let value = UInt64(pixel >> UInt32(shift)) & (1 << UInt64(bitCount) - 1)
            if bitCount >= 8 { return UInt8(truncatingIfNeeded: value >> UInt64(bitCount - 8)) }
            return UInt8(truncatingIfNeeded: value * 255 / (1 << UInt64(bitCount) - 1))
        }
    }

    let red: Field
    let green: Field
    let blue: Field
    let alpha: Field

    init(red: UInt32, green: UInt32, blue: UInt32, alpha: UInt32) {
        self.red = Field(red)
        self.green = Field(green)
        self.blue = Field(blue)
        self.alpha = Field(alpha)
    }

    /// Whether the channels are whole bytes in the order blue, green, red.
    var areBytes: Bool {
        [(red, 16), (green, 8), (blue, 0)].allSatisfy { $0.bitCount == 8 && $0.shift == $1 }
    }
}
