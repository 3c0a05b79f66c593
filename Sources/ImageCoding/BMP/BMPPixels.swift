// SPDX-License-Identifier: MIT
/// Draws the pixels of a bitmap row by row.
struct BMPPixels {
    let bytes: [UInt8]
    let header: BMPHeader
    let failOn: DamagePolicy
    let work: DecodingWork
    /// The mask of an icon: a bit a pixel, 1 where it is transparent.
    var mask: Mask?

    /// Rows of bits, the lowest row first.
    struct Mask {
        let start: Int
        let stride: Int
    }

    /// Draws RGBA rows, not premultiplied.
    ///
    /// - Parameter rows: What the output belongs to, if it has no room for all rows.
    /// - Returns: The damage that did not end the drawing.
    func draw(to output: UnsafeMutableBufferPointer<UInt8>, _ rows: DecodedRows?) throws -> ImageDamage {
        var runs: BMPRunLengths?
        if case .runs = header.coding { runs = try BMPRunLengths(bytes, header, failOn, work) }
        var damage = runs?.damage ?? []
        let (width, height) = (header.size.width, header.size.height)
        let capacity = rows?.capacity ?? height
        // No damage is noticed later than a row that is not there, nor later than the bytes after the last one.
        if runs == nil, failOn != .never, !hasRow(height - 1) { throw end }
        for y in 0..<height {
            if y % DecodedRows.atOnce == 0 { try work.look(pixels: min(DecodedRows.atOnce, height - y) * width) }
            let start = y % capacity * width * 4
            let line = unsafe UnsafeMutableBufferPointer(rebasing: output[start..<start + width * 4])
            let stored = header.isTopDown ? y : height - 1 - y
            if let runs {
                unsafe fill(line) { header.color(Int(runs.indexes[stored * width + $0])) }
            } else if hasRow(stored) {
                unsafe drawStored(header.pixelStart + stored * header.stride, to: line)
            } else {
                damage.formUnion([.missingPixels, .missingEnd])
                unsafe line.update(repeating: 0)
            }
            if let mask { unsafe apply(mask, row: stored, to: line) }
            rows?.receive(upTo: y + 1)
        }
        if runs == nil, header.pixelStart + header.stride * height > bytes.count { damage.insert(.missingEnd) }
        if failOn == .anyDamage, !damage.isEmpty { throw end }
        return damage
    }

    /// Whether the bytes of a row exist. The padding of the last row in the file may be missing.
    private func hasRow(_ stored: Int) -> Bool {
        let end = header.pixelStart + stored * header.stride + (header.size.width * header.bitsPerPixel + 7) / 8
        return end <= bytes.count
    }

    /// Draws a row of which all bytes exist.
    private func drawStored(_ start: Int, to line: UnsafeMutableBufferPointer<UInt8>) {
        switch header.coding {
        case .palette, .runs:
            let bits = header.bitsPerPixel
            unsafe fill(line) { x in
                let bit = x * bits
                return header.color(Int(bytes[start + bit >> 3]) >> (8 - bits - bit & 7) & (1 << bits - 1))
            }
        case .fields(let fields) where fields.areBytes:
            let (alpha, count) = (fields.alpha, header.bitsPerPixel / 8)
            let isByte = alpha.bitCount == 8 && alpha.shift == 24
            unsafe fill(line) { x in
                let at = start + x * count
                return (bytes[at + 2], bytes[at + 1], bytes[at], isByte ? bytes[at + 3] : 255)
            }
        case .fields(let fields):
            let count = header.bitsPerPixel / 8
            unsafe fill(line) { x in
                var pixel: UInt32 = 0
                for index in 0..<count { pixel |= UInt32(bytes[start + x * count + index]) << UInt32(index * 8) }
                let alpha = fields.alpha.bitCount == 0 ? 255 : fields.alpha.value(pixel)
                return (fields.red.value(pixel), fields.green.value(pixel), fields.blue.value(pixel), alpha)
            }
        }
    }

    private func fill(
        _ line: UnsafeMutableBufferPointer<UInt8>, _ color: (Int) -> (UInt8, UInt8, UInt8, UInt8)
    ) {
        for x in 0..<header.size.width {
            let (red, green, blue, alpha) = color(x)
            unsafe line[x * 4] = red
            unsafe line[x * 4 + 1] = green
            unsafe line[x * 4 + 2] = blue
            unsafe line[x * 4 + 3] = alpha
        }
    }

    private func apply(_ mask: Mask, row: Int, to line: UnsafeMutableBufferPointer<UInt8>) {
        let start = mask.start + row * mask.stride
        for x in 0..<header.size.width {
            let at = start + x >> 3
            // A mask that is cut leaves the rest opaque.
            let isClear = at < bytes.count && bytes[at] << UInt8(x & 7) & 0x80 != 0
            unsafe line[x * 4 + 3] = isClear ? 0 : 255
        }
    }

    private var end: ImageError {
        ImageError(code: .truncated, message: "The bitmap ends before its last pixel.", byteOffset: bytes.count)
    }
}

extension BMPHeader {
    /// A colour of the palette.
    fileprivate func color(_ index: Int) -> (UInt8, UInt8, UInt8, UInt8) {
        (palette[index * 4], palette[index * 4 + 1], palette[index * 4 + 2], 255)
    }
}

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
