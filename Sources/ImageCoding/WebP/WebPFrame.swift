// SPDX-License-Identifier: MIT
/// One frame of an animated WebP.
///
/// - Source: RFC 9649, section 2.7.1.1.
struct WebPFrame {
    /// The place of the frame on the canvas.
    let rect: PixelRect
    /// How long it is shown, in milliseconds.
    let duration: Int
    /// Whether it is blended over the canvas, instead of replacing its pixels.
    let isBlended: Bool
    /// Whether its place is cleared before the next frame.
    let isCleared: Bool
    let bitstream: WebPBitstream

    var size: PixelSize { PixelSize(width: rect.width, height: rect.height) }

    /// Creates a frame from its header.
    ///
    /// - Parameters:
    ///   - payload: The range of the bytes in the frame's chunk.
    ///   - canvas: The size of the canvas, which holds the frame.
    /// - Throws: `.malformed`; what `work` throws.
    init(_ payload: Range<Int>, of bytes: [UInt8], on canvas: PixelSize, work: DecodingWork) throws {
        let start = payload.lowerBound
        func number(_ offset: Int) -> Int { WebPChunks.number(in: bytes, at: start + offset) & 0xFF_FFFF }
        // Two offsets in steps of two pixels, width and height less one, duration: three bytes each. Then flags.
        guard payload.count >= 24 else { throw WebPFrame.broken(start) }
        rect = PixelRect(x: number(0) * 2, y: number(3) * 2, width: number(6) + 1, height: number(9) + 1)
        duration = number(12)
        isBlended = bytes[start + 15] & 2 == 0
        isCleared = bytes[start + 15] & 1 != 0
        guard rect.x + rect.width <= canvas.width, rect.y + rect.height <= canvas.height,
            let bitstream = try WebPBitstream(
                in: WebPChunks(bytes, in: start + 16..<payload.upperBound, work: work), of: bytes)
        else { throw WebPFrame.broken(start) }
        self.bitstream = bitstream
    }

    private static func broken(_ offset: Int) -> ImageError {
        ImageError(code: .malformed, message: "A frame of the WebP is broken.", byteOffset: offset)
    }
}
