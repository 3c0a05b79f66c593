// SPDX-License-Identifier: MIT
/// One frame of an animated PNG.
///
/// - Source: PNG (third edition), section 11.3.6.
struct PNGFrame: Sendable {
    /// What happens to a frame before the next one is drawn.
    enum Disposal: UInt8 {
        case keep = 0
        case clear = 1
        case restore = 2
    }

    /// The place of the frame on the canvas.
    let rect: PixelRect
    /// How long it is shown, in milliseconds.
    let milliseconds: Int
    let disposal: Disposal
    /// Whether it is blended over the canvas, instead of replacing its pixels.
    let isBlended: Bool
    /// The chunks of its data, from the type to the check sum.
    var chunks: [Range<Int>] = []

    /// Creates a frame from its control chunk.
    ///
    /// - Returns: `nil` for a frame outside the canvas, and for values that do not exist.
    init?(_ bytes: [UInt8], control payload: Range<Int>, canvas: PixelSize) {
        guard payload.count >= 26 else { return nil }
        let start = payload.lowerBound
        func number(_ offset: Int) -> Int { PNGHeader.number(in: bytes, at: start + offset) }
        rect = PixelRect(x: number(12), y: number(16), width: number(4), height: number(8))
        let delay = Int(bytes[start + 20]) << 8 | Int(bytes[start + 21])
        let unit = Int(bytes[start + 22]) << 8 | Int(bytes[start + 23])
        milliseconds = delay * 1_000 / (unit == 0 ? 100 : unit)
        guard rect.width > 0, rect.height > 0, rect.x + rect.width <= canvas.width,
            rect.y + rect.height <= canvas.height, let disposal = Disposal(rawValue: bytes[start + 24]),
            bytes[start + 25] <= 1
        else { return nil }
        self.disposal = disposal
        isBlended = bytes[start + 25] == 1
    }

    var size: PixelSize { PixelSize(width: rect.width, height: rect.height) }

    /// The bytes of the frame's data.
    var byteCount: Int { chunks.reduce(0) { $0 + $1.count } }

    /// A PNG of this frame alone.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - palette: The chunks of the palette and its transparency, whole.
    ///   - checks: Whether the check sums of the data must be right.
    /// - Throws: `.malformed` for a wrong check sum.
    func file(_ bytes: [UInt8], palette: [Range<Int>], checks: Bool) throws(ImageError) -> [UInt8] {
        var file = PNGHeader.signature
        file.reserveCapacity(byteCount + 1_200)
        let size = PNGChunk.bigEndian(UInt32(rect.width)) + PNGChunk.bigEndian(UInt32(rect.height))
        PNGChunk.append("IHDR", [size[...], bytes[24..<29]], to: &file)
        for chunk in palette { file += bytes[chunk] }
        var parts = [ArraySlice<UInt8>]()
        for chunk in chunks {
            let end = chunk.upperBound - 4
            let isRight =
                !checks
                || PNGChunk.checkSum(bytes[chunk.lowerBound..<end])
                    == UInt32(truncatingIfNeeded: PNGHeader.number(in: bytes, at: end))
            guard isRight else {
                throw ImageError(code: .malformed, message: "png: a check sum is wrong.", byteOffset: end)
            }
            // The type, and in all frames but the default picture a sequence number.
            let isSequenced = bytes[chunk.lowerBound] == UInt8(ascii: "f")
            parts.append(bytes[chunk.lowerBound + (isSequenced ? 8 : 4)..<end])
        }
        PNGChunk.append("IDAT", parts, to: &file)
        PNGChunk.append("IEND", [], to: &file)
        return file
    }
}
