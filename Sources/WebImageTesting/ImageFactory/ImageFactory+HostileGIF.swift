// SPDX-License-Identifier: MIT
extension ImageFactory {
    /// A valid GIF of `frames` frames of one pixel each on a canvas of `side` by `side`: 46 KB for 2,000 frames, which
    /// would be 400 MB each when decoded.
    ///
    /// - Parameters:
    ///   - frames: How many frames.
    ///   - side: Width and height of the canvas, up to 65,535.
    public static func frameBombGIF(frames: Int = 2_000, side: Int = 10_000) -> [UInt8] {
        // Codes of three bits: clear, 0, end.
        let frame = gifFrame(side: 1, disposal: 0, data: [0x44, 0x01])
        return gifHeader(side) + repeated(frame, frames) + [0x3B]
    }

    /// A valid GIF whose frames fill the canvas and are removed again, one after the other: 256 of 988 by 988 pixels
    /// are 435 KB.
    ///
    /// - Parameters:
    ///   - frames: How many frames.
    ///   - side: Width and height of the canvas and of each frame, up to 65,535.
    ///   - disposal: What happens to a frame before the next one: 3 restores the pixels below it.
    public static func fullFrameGIF(frames: Int = 256, side: Int = 988, disposal: UInt8 = 3) -> [UInt8] {
        let frame = gifFrame(side: side, disposal: disposal, data: codes(pixels: side * side))
        return gifHeader(side) + repeated(frame, frames) + [0x3B]
    }

    /// The header of a GIF and nothing else: 19 bytes.
    ///
    /// - Parameter side: Width and height of the canvas, up to 65,535.
    public static func headerOnlyGIF(side: Int = 7_000) -> [UInt8] { gifHeader(side) }

    /// A GIF with one frame after a comment of blocks of one byte.
    ///
    /// - Parameter byteCount: About how long the file is.
    public static func commentBombGIF(byteCount: Int = 4 << 20) -> [UInt8] {
        let comment = [0x21, 0xFE] + repeated([1, 0x20], byteCount / 2) + [0]
        return gifHeader(1) + comment + gifFrame(side: 1, disposal: 0, data: [0x44, 0x01]) + [0x3B]
    }

    /// A GIF with one frame of codes that clear the table again and again, without one pixel.
    ///
    /// - Parameter byteCount: About how long the file is.
    public static func clearCodeGIF(byteCount: Int = 1 << 20) -> [UInt8] {
        // Codes of three bits, all of them 4.
        let data = repeated([0x24, 0x49, 0x92], byteCount / 3)
        return gifHeader(100) + gifFrame(side: 100, disposal: 0, data: data) + [0x3B]
    }

    /// A canvas with a palette of black and white.
    private static func gifHeader(_ side: Int) -> [UInt8] {
        Array("GIF89a".utf8) + word(side) + word(side) + [0x80, 0, 0, 0, 0, 0, 255, 255, 255]
    }

    /// A frame at the origin with its delay of 100 ms, codes of two bits and up.
    private static func gifFrame(side: Int, disposal: UInt8, data: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = [0x21, 0xF9, 4, disposal << 2, 10, 0, 0, 0, 0x2C, 0, 0, 0, 0]
        bytes += word(side) + word(side) + [0, 2]
        for start in stride(from: 0, to: data.count, by: 255) {
            let block = data[start..<min(start + 255, data.count)]
            bytes += [UInt8(block.count)] + block
        }
        return bytes + [0]
    }

    /// Pixels of index 0 in as few codes as there can be: each stands for one pixel more than the one before.
    ///
    /// - Source: GIF89a, appendix F.
    private static func codes(pixels: Int) -> [UInt8] {
        let (clear, end) = (4, 5)
        var bits = BitWriter()
        var width = 3
        var left = pixels
        // The longest run that has a code, and how many codes were read since the table was emptied.
        var (longest, read) = (0, 0)
        bits.write(clear, width)
        while left > 0 {
            let run = min(left, longest + 1)
            bits.write(run == 1 ? 0 : end + run - 1, width)
            left -= run
            longest = max(longest, run)
            read += 1
            if end + read + 1 > 1 << width, width < 12 { width += 1 }
            if end + read == 4_095 {
                bits.write(clear, width)
                (width, longest, read) = (3, 0, 0)
            }
        }
        bits.write(end, width)
        bits.finish()
        return bits.bytes
    }

    private static func word(_ value: Int) -> [UInt8] {
        [UInt8(truncatingIfNeeded: value), UInt8(truncatingIfNeeded: value >> 8)]
    }
}
