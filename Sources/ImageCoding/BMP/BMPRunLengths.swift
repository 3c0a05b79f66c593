// SPDX-License-Identifier: MIT
/// The indexes of a bitmap that is stored in runs.
///
/// - Source: Microsoft, Bitmap Compression.
struct BMPRunLengths {
    /// An index for each pixel, the lowest row first. Pixels that no run reaches have the first colour.
    private(set) var indexes: [UInt8]
    private(set) var damage = ImageDamage()

    /// Reads all runs.
    ///
    /// - Throws: ``ImageError``: `.truncated` without an end, unless no damage fails or all rows are there; what `work`
    ///   throws.
    init(_ bytes: [UInt8], _ header: BMPHeader, _ failOn: DamagePolicy, _ work: DecodingWork) throws {
        let (width, height) = (header.size.width, header.size.height)
        indexes = [UInt8](repeating: 0, count: width * height)
        let isNibbles = header.bitsPerPixel == 4
        var (x, y) = (0, 0)
        var offset = header.pixelStart
        var walk = 0
        func put(_ index: UInt8) {
            if x < width, y < height { indexes[y * width + x] = index }
            x = min(x + 1, width)
        }
        func nibble(_ byte: UInt8, _ position: Int) -> UInt8 {
            !isNibbles ? byte : position % 2 == 0 ? byte >> 4 : byte & 15
        }
        while offset + 2 <= bytes.count {
            walk += 1
            if walk % 1_024 == 0 { try work.look() }
            let (count, value) = (Int(bytes[offset]), bytes[offset + 1])
            offset += 2
            if count > 0 {
                for position in 0..<count { put(nibble(value, position)) }
            } else if value == 0 {
                (x, y) = (0, min(y + 1, height))
            } else if value == 1 {
                return
            } else if value == 2 {
                guard offset + 2 <= bytes.count else { break }
                x = min(x + Int(bytes[offset]), width)
                y = min(y + Int(bytes[offset + 1]), height)
                offset += 2
            } else {
                // Pixels one by one, up to an even offset.
                let length = isNibbles ? (Int(value) + 1) / 2 : Int(value)
                guard offset + length <= bytes.count else { break }
                for position in 0..<Int(value) {
                    put(nibble(bytes[offset + (isNibbles ? position / 2 : position)], position))
                }
                offset += length + length % 2
            }
        }
        damage = [.missingEnd]
        let isWhole = y >= height || y == height - 1 && x >= width
        if !isWhole { damage.insert(.missingPixels) }
        if failOn == .anyDamage || failOn == .truncated && !isWhole {
            throw ImageError(code: .truncated, message: "The bitmap has no end.", byteOffset: bytes.count)
        }
    }
}
