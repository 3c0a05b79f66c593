// SPDX-License-Identifier: MIT
import CImageShims

/// Writes animated PNG: a PNG for each frame, of the part that has changed, put together again.
///
/// - Source: PNG (third edition), sections 11.3.6.1 to 11.3.6.3.
enum PNGAnimationWriter {
    /// Encodes all frames, each after the one before, which is all that stays in memory.
    ///
    /// - Throws: ``ImageError``, also of a frame that cannot be made; `CancellationError`.
    static func encode(_ image: DecodedImage, level: Int) throws -> [UInt8] {
        var (header, file, sequence, frameCount) = ([UInt8](), [UInt8](), UInt32(0), UInt32(0))
        var shown: [UInt8]?
        try image.forEachFrame { index, frame in
            let rect = ChangedPart.rect(image.size, shown, frame.pixels)
            // The frame before is not needed any more.
            shown = frame.pixels
            let pixels = try Bitmap.cut(rect, from: frame.pixels, image.size)
            let part = try PNGCoder.encode(
                image.hasAlpha ? Bitmap.unpremultiplied(pixels) : pixels,
                rect.size, level, hasAlpha: image.hasAlpha)
            // The signature and the header of the first frame, which is as large as the canvas.
            if index == 0 { header += part[..<33] }
            frameCount += 1
            PNGChunk.append("fcTL", [control(sequence, rect, frame.duration)[...]], to: &file)
            sequence += 1
            for chunk in PNGChunks(part, from: 33) where chunk.type == "IDAT" {
                let data = part[chunk.payload]
                if index == 0 {
                    PNGChunk.append("IDAT", [data], to: &file)
                } else {
                    PNGChunk.append("fdAT", [PNGChunk.bigEndian(sequence)[...], data], to: &file)
                    sequence += 1
                }
            }
        }
        PNGChunk.append("IEND", [], to: &file)
        // The number of frames is known at the end.
        let counts = [frameCount, UInt32(clamping: image.loopCount)]
        PNGChunk.append("acTL", [counts.flatMap(PNGChunk.bigEndian)[...]], to: &header)
        return header + file
    }

    /// What a control chunk says: the frame stays, and replaces what is below it.
    private static func control(_ sequence: UInt32, _ rect: PixelRect, _ duration: Duration) -> [UInt8] {
        let numbers = [Int(sequence), rect.width, rect.height, rect.x, rect.y].map { UInt32($0) }
        // Milliseconds, or tenths of a second where these do not fit: at most 65,535 of either.
        let time = FrameTiming.milliseconds(duration)
        let (delay, unit) = time <= 65_535 ? (time, 1_000) : (min(time / 100, 65_535), 10)
        let times = [delay, unit].flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        return numbers.flatMap(PNGChunk.bigEndian) + times + [0, 0]
    }
}

/// Writes the chunks of a PNG.
///
/// - Source: PNG (third edition), section 5.3.
enum PNGChunk {
    /// Appends a chunk: its length, type, data and check sum.
    ///
    /// - Parameter parts: The data, of less than 2 GiB.
    static func append(_ type: StaticString, _ parts: [ArraySlice<UInt8>], to file: inout [UInt8]) {
        file += bigEndian(UInt32(parts.reduce(0) { $0 + $1.count }))
        let start = file.count
        file += type.description.utf8
        for part in parts { file += part }
        file += bigEndian(checkSum(file[start...]))
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    static func checkSum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { unsafe $0.baseAddress.map { unsafe swi_crc32($0, bytes.count) } ?? 0 }
    }
}

/// The chunks of a PNG that are whole but for their check sums, in order.
struct PNGChunks: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var offset: Int

    /// - Parameter offset: The beginning of a chunk.
    init(_ bytes: [UInt8], from offset: Int) { (self.bytes, self.offset) = (bytes, offset) }

    /// The next chunk: its type, and where its payload is.
    mutating func next() -> (type: String, payload: Range<Int>)? {
        guard offset + 8 <= bytes.count else { return nil }
        let (start, length) = (offset + 8, bytes.bigEndian(at: offset))
        guard length <= bytes.count - start else { return nil }
        offset = start + length + 4
        return (String(decoding: bytes[start - 4..<start], as: UTF8.self), start..<start + length)
    }
}
