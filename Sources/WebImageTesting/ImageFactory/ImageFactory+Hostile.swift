extension ImageFactory {
    /// A valid PNG of `side` by `side` black pixels in very few bytes: about 110 KB for 30,000, which is 900 million pixels.
    ///
    /// - Parameter side: Width and height in pixels, at least 1.
    /// - Complexity: O(size of the file).
    public static func oversizedPNG(_ side: Int = 30_000) -> [UInt8] {
        precondition(side > 0 && side <= 1 << 20, "A side has 1 to 1048576 pixels.")
        var header = bigEndian(UInt32(side)) + bigEndian(UInt32(side))
        // One bit a pixel, grey, the only compression, the only filters, not interlaced.
        header += [1, 0, 0, 0, 0]
        let zeros = side * (1 + (side + 7) / 8)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunk("IDAT", ZeroStream.zlib(count: zeros)) + chunk("IEND", [])
    }

    /// A valid GIF of `frames` frames of one pixel each on a canvas of `side` by `side`: 46 KB for 2,000 frames, which
    /// would be 400 MB each when decoded.
    ///
    /// - Parameters:
    ///   - frames: How many frames.
    ///   - side: Width and height of the canvas, up to 65,535.
    public static func frameBombGIF(frames: Int = 2_000, side: Int = 10_000) -> [UInt8] {
        let low = UInt8(truncatingIfNeeded: side)
        let high = UInt8(truncatingIfNeeded: side >> 8)
        var bytes: [UInt8] = Array("GIF89a".utf8) + [low, high, low, high, 0x80, 0, 0]
        bytes += [0, 0, 0, 255, 255, 255]
        for _ in 0..<frames {
            bytes += [0x21, 0xF9, 4, 0, 10, 0, 0, 0]
            // At the origin, one pixel, no palette; codes of two bits: clear, 0, end.
            bytes += [0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0]
        }
        return bytes + [0x3B]
    }

    /// The beginning of a file.
    ///
    /// - Parameters:
    ///   - bytes: A whole file.
    ///   - fraction: How much of it stays, from 0 to 1.
    public static func truncated(_ bytes: [UInt8], to fraction: Double = 0.5) -> [UInt8] {
        Array(bytes.prefix(Int(Double(bytes.count) * fraction)))
    }

    /// Bytes without meaning.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - seed: The same seed gives the same bytes.
    public static func randomBytes(count: Int, seed: Int) -> [UInt8] {
        var random = SplitMix(state: UInt64(truncatingIfNeeded: seed))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    private static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + payload
        return bigEndian(UInt32(payload.count)) + body + bigEndian(CRC32.checksum(body))
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
