// SPDX-License-Identifier: MIT
/// Small files of long animations, as screen recordings are: one whole frame, then patches of it.
public enum LongGIF {
    /// 250 frames of 500 by 500 pixels in some 345 kB: 250 MB decoded.
    public static let recording = file(side: 500, frames: 250, patch: 38)
    /// 600 frames of 200 by 200 pixels: 96 MB decoded.
    public static let sticker = file(side: 200, frames: 600, patch: 12)

    /// - Parameters:
    ///   - side: The sides of the canvas.
    ///   - patch: The sides of the frames after the first one, which move.
    ///   - hasEnd: Whether the file says that no frame follows.
    public static func file(side: Int, frames: Int, patch: Int, hasEnd: Bool = true) -> [UInt8] {
        // A palette of four colours.
        var file = Array("GIF89a".utf8) + word(side) + word(side) + [0x91, 0, 0]
        file += [0, 0, 0, 255, 255, 255, 200, 40, 40, 40, 40, 200]
        file += [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
        for index in 0..<frames {
            let (size, room) = index == 0 ? (side, 0) : (patch, side - patch)
            file += [0x21, 0xF9, 4, 4, 4, 0, 0, 0, 0x2C]
            file += word(room == 0 ? 0 : index * 7 % room) + word(room == 0 ? 0 : index * 3 % room)
            file += word(size) + word(size) + [0, 2] + blocks(pixels: size * size, color: index % 4)
        }
        return hasEnd ? file + [0x3B] : file
    }

    /// The codes of pixels of a colour and its neighbour, with a table that is cleared before it grows.
    private static func blocks(pixels: Int, color: Int) -> [UInt8] {
        var (data, bits, count) = ([UInt8](), 0, 0)
        func put(_ code: Int) {
            bits |= code << count
            count += 3
            while count >= 8 {
                data.append(UInt8(bits & 0xFF))
                (bits, count) = (bits >> 8, count - 8)
            }
        }
        for pixel in 0..<pixels {
            if pixel.isMultiple(of: 2) { put(4) }
            put(pixel % 5 == 0 ? (color + 1) % 4 : color)
        }
        put(5)
        if count > 0 { data.append(UInt8(bits & 0xFF)) }
        let starts = stride(from: 0, to: data.count, by: 255)
        return starts.flatMap { start in
            let block = data[start..<min(start + 255, data.count)]
            return [UInt8(block.count)] + block
        } + [0]
    }

    private static func word(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
}
