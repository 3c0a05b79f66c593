// SPDX-License-Identifier: MIT
/// Reads the largest picture of a Windows icon or cursor.
///
/// A bitmap of 32 bits has alpha; in one of fewer bits, or without any alpha, the mask tells what is transparent.
struct ICOCoder: WatchedDecoding {
    /// The largest picture.
    private enum Picture {
        case png([UInt8])
        case bitmap(BMPHeader, mask: BMPPixels.Mask?, bytes: [UInt8])
    }

    /// Whether the format is ICO.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .ico }

    /// Reads the header of the largest picture.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let size: PixelSize
        var hasAlpha = true
        switch try ICOCoder.picture(of: bytes, options, nil) {
        case .png(let bytes):
            let png = try PNGCoder().properties(of: bytes, options: options)
            (size, hasAlpha) = (png.size, png.hasAlpha)
        case .bitmap(let header, _, _): size = header.size
        }
        return ImageProperties(.ico, stored: size, hasAlpha: hasAlpha, isLossless: true)
    }

    /// A copy of the picture's bytes, and what its own format takes.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        switch try ICOCoder.picture(of: bytes, options, nil) {
        case .png(let bytes):
            try PNGCoder().decodingByteCount(of: bytes, options: ICOCoder.still(options)).saturatingAdd(bytes.count)
        case .bitmap(let header, _, let bytes):
            BMPCoder.decodingByteCount(header, FramePlan(header.size, options)).saturatingAdd(bytes.count)
        }
    }

    /// Decodes the largest picture.
    ///
    /// **Cancellation**: checked every 16 rows, and as in a PNG.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        switch try ICOCoder.picture(of: bytes, options, work) {
        case .png(let bytes): try PNGCoder().decode(bytes, ICOCoder.still(options), work)
        case .bitmap(let header, let mask, let bytes):
            try BMPCoder.decode(
                BMPPixels(bytes: bytes, header: header, failOn: options.failOn, work: work, mask: mask), options)
        }
    }

    /// Finds the largest picture, and its mask.
    ///
    /// - Parameter work: Called while alpha is looked for; without it the mask is not needed.
    private static func picture(
        of bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork?
    ) throws -> Picture {
        let entry = try ICOEntry.best(in: bytes)
        guard entry.isWhole || options.failOn == .never || work == nil else {
            throw ImageError(code: .truncated, message: "The icon ends early.", byteOffset: bytes.count)
        }
        let part = Array(bytes[entry.range])
        if ImageFormat(sniffing: part) == .png { return .png(part) }
        let header = try BMPHeader(part, at: 0, pixelStart: nil, isIcon: true)
        let start = header.pixelStart + header.stride * header.size.height
        let mask = BMPPixels.Mask(start: start, stride: (header.size.width + 31) / 32 * 4)
        guard let work, header.hasAlpha, header.bitsPerPixel == 32 else {
            return .bitmap(header, mask: header.hasAlpha ? nil : mask, bytes: part)
        }
        let pixels = header.pixelStart..<max(min(start, part.count), header.pixelStart)
        for (count, at) in stride(from: pixels.lowerBound + 3, to: pixels.upperBound, by: 4).enumerated() {
            if count % 65_536 == 0 { try work.look() }
            if part[at] != 0 { return .bitmap(header, mask: nil, bytes: part) }
        }
        return .bitmap(header, mask: mask, bytes: part)
    }

    private static func still(_ options: DecodeOptions) -> DecodeOptions {
        var options = options
        options.firstFrameOnly = true
        return options
    }
}

/// One of the pictures of a Windows icon or cursor: a bitmap without the header of a file, or a PNG.
///
/// - Source: Microsoft, Icons; the same in a file of its own.
struct ICOEntry {
    /// The bytes of the picture, as far as there are any.
    let range: Range<Int>
    /// Whether the file has all of them.
    let isWhole: Bool
    /// The announced pixels and bits; entries lie, so they choose alone.
    private let rank: (pixels: Int, bits: Int)

    /// The entry with most pixels, and with most bits among those: the one that is shown.
    ///
    /// - Throws: ``ImageError``: `.truncated` without a whole directory, `.malformed` without entries.
    static func best(in bytes: [UInt8]) throws(ImageError) -> ICOEntry {
        let reader = BMPNumbers(bytes: bytes)
        let isCursor = try reader.u16(2) == 2
        var best: ICOEntry?
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
            best = ICOEntry(range: min(start, end)..<end, isWhole: start + length <= bytes.count, rank: rank)
        }
        guard let best else {
            throw ImageError(code: .malformed, message: "The icon has no pictures.", byteOffset: 4)
        }
        return best
    }
}
