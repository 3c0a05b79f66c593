// SPDX-License-Identifier: MIT
extension ImageFactory {
    /// A valid animated WebP of one colour a frame: 274 bytes for five frames of 16 by 16 on a canvas of 7,000 by
    /// 7,000.
    ///
    /// - Parameters:
    ///   - frames: How many frames.
    ///   - canvas: Width and height of the canvas, up to 16,384.
    ///   - side: Width and height of each frame, at most `canvas`.
    /// - Source: RFC 9649, section 2.7.
    public static func canvasBombWebP(frames: Int = 5, canvas: Int = 7_000, side: Int = 16) -> [UInt8] {
        var chunks = riffChunk("VP8X", [0x12, 0, 0, 0] + triple(canvas - 1) + triple(canvas - 1))
        chunks += riffChunk("ANIM", [0, 0, 0, 0, 0, 0])
        for index in 0..<frames {
            let place = triple(0) + triple(0) + triple(side - 1) + triple(side - 1) + triple(100) + [0]
            chunks += riffChunk("ANMF", place + riffChunk("VP8L", plainPixels(side, green: UInt8(index & 0xFF))))
        }
        return riff(chunks)
    }

    /// A valid lossless WebP of one colour: about 40 bytes, whatever its size.
    ///
    /// - Parameter side: Width and height, up to 16,384.
    public static func plainWebP(side: Int = 7_000) -> [UInt8] {
        riff(riffChunk("VP8L", plainPixels(side, green: 128)))
    }

    /// A WebP of one colour after `chunks` empty chunks that mean nothing, eight bytes each.
    ///
    /// - Parameter chunks: How many.
    public static func chunkBombWebP(chunks: Int = 1_000_000) -> [UInt8] {
        let empty = riffChunk("ABCD", [])
        return riff(
            riffChunk("VP8X", [0, 0, 0, 0] + triple(9) + triple(9)) + repeated(empty, chunks)
                + riffChunk("VP8L", plainPixels(10, green: 128)))
    }

    /// A valid lossless WebP of one colour with a group of codes for each of 65,536 blocks: 300 KB, for which libwebp
    /// keeps some 10 KB a group.
    ///
    /// - Parameter groups: How many groups, a square number up to 65,536.
    /// - Source: RFC 9649, sections 3.5.2 and 3.6.
    public static func codeGroupBombWebP(groups: Int = 65_536) -> [UInt8] {
        var side = 1
        while side * side < groups { side += 1 }
        var bits = vp8l(side * 4)
        // No transform, no colour cache, but an image of the groups, in blocks of four by four pixels.
        bits.write(0, 2)
        bits.write(1, 1)
        bits.write(0, 3)
        // It has no colour cache. Green and red: 256 symbols of eight bits each.
        bits.write(0, 1)
        for alphabet in [280, 256] {
            // The lengths are coded by a code of one symbol, which takes no bits: 8 is the twelfth in their order.
            bits.write(0, 1)
            bits.write(12 - 4, 4)
            for index in 0..<12 { bits.write(index == 11 ? 1 : 0, 3) }
            bits.write(alphabet > 256 ? 1 : 0, 1)
            if alphabet > 256 {
                bits.write(3, 3)
                bits.write(254, 8)
            }
        }
        for _ in 0..<3 { bits.write(0b0001, 4) }
        // A code is its symbol with the bits in reverse order.
        for group in 0..<side * side {
            for bit in 0..<16 { bits.write(group >> (bit / 8 * 8 + 7 - bit % 8) & 1, 1) }
        }
        for _ in 0..<side * side * 5 { bits.write(0b0001, 4) }
        bits.finish()
        return riff(riffChunk("VP8L", bits.bytes))
    }

    /// Lossless pixels that take no bits, because every code has one symbol.
    ///
    /// - Source: RFC 9649, section 3.
    private static func plainPixels(_ side: Int, green: UInt8) -> [UInt8] {
        var bits = vp8l(side)
        // No transform, no colour cache, one group of codes.
        bits.write(0, 3)
        // Green, red, blue and alpha: a simple code of one symbol of eight bits.
        for symbol in [Int(green), 0, 0, 255] {
            bits.write(0b101, 3)
            bits.write(symbol, 8)
        }
        // Distance: one symbol of one bit.
        bits.write(0b0001, 4)
        bits.finish()
        return bits.bytes
    }

    /// A square of lossless pixels up to its transforms.
    private static func vp8l(_ side: Int) -> BitWriter {
        var bits = BitWriter()
        bits.write(0x2F, 8)
        bits.write(side - 1, 14)
        bits.write(side - 1, 14)
        // Alpha is used, version 0.
        bits.write(1, 4)
        return bits
    }

    private static func riff(_ chunks: [UInt8]) -> [UInt8] { riffChunk("RIFF", Array("WEBP".utf8) + chunks) }

    /// Chunks begin at even offsets.
    private static func riffChunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let length = bigEndian(UInt32(payload.count)).reversed()
        return Array(type.utf8) + length + payload + (payload.count % 2 == 0 ? [] : [0])
    }

    private static func triple(_ value: Int) -> [UInt8] {
        [0, 8, 16].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
