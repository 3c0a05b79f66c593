// SPDX-License-Identifier: MIT
extension ImageFactory {
    /// A valid PNG of `side` by `side` black pixels in very few bytes: about 110 KB for 30,000, which is 900 million
    /// pixels.
    ///
    /// - Parameter side: Width and height in pixels, at least 1.
    /// - Complexity: O(size of the file).
    public static func oversizedPNG(_ side: Int = 30_000) -> [UInt8] {
        precondition(side > 0 && side <= 1 << 20, "A side has 1 to 1048576 pixels.")
        return png(side: side, [("IDAT", ZeroStream.zlib(count: side * (1 + (side + 7) / 8)))])
    }

    /// A valid PNG of 10 by 10 pixels whose image data continue after the last row, with zeros: 4 MB of them unpack to
    /// 4 GB.
    ///
    /// - Parameter byteCount: About how long the file is.
    /// - Complexity: O(`byteCount`).
    public static func endlessPNG(byteCount: Int = 4 << 20) -> [UInt8] {
        png(side: 10, [("IDAT", ZeroStream.zlib(count: byteCount * 1_032))])
    }

    /// A valid PNG of 10 by 10 pixels after `chunks` empty chunks that mean nothing, twelve bytes each.
    ///
    /// - Parameter chunks: How many.
    public static func chunkBombPNG(chunks: Int = 1_000_000) -> [UInt8] {
        let empty = chunk("teXt", [])
        let file = png(side: 10, [("IDAT", ZeroStream.zlib(count: 10 * 3))])
        return file[..<33] + repeated(empty, chunks) + file[33...]
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
        var random = SeededGenerator(seed: UInt64(truncatingIfNeeded: seed))
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    }

    /// A grey PNG of one bit a pixel, the only compression, the only filters, not interlaced.
    private static func png(side: Int, _ chunks: [(String, [UInt8])]) -> [UInt8] {
        let header = bigEndian(UInt32(side)) + bigEndian(UInt32(side)) + [1, 0, 0, 0, 0]
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header)
            + chunks.flatMap { chunk($0, $1) } + chunk("IEND", [])
    }

    private static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + payload
        return bigEndian(UInt32(payload.count)) + body + bigEndian(CRC32.checksum(body))
    }

    static func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
        var whole: [UInt8] = []
        whole.reserveCapacity(bytes.count * count)
        for _ in 0..<count { whole += bytes }
        return whole
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
