// SPDX-License-Identifier: MIT
import ImageCoding

extension ImageFactory {
    /// A Windows bitmap of 24 bits, or of 8 bits of grey in runs.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - seed: Chooses the picture; within ``seeds``.
    ///   - inRuns: Whether each row is stored in runs of its green.
    /// - Source: Microsoft, Bitmap Storage.
    public static func bitmapFile(width: Int, height: Int, seed: Int, inRuns: Bool = false) -> [UInt8] {
        let pixels = picture(width: width, height: height, seed: seed).pixels
        var data = [UInt8]()
        for row in (0..<height).reversed() {
            for start in stride(from: row * width * 4, to: (row + 1) * width * 4, by: 4) {
                data += inRuns ? [1, pixels[start + 1]] : pixels[start..<start + 3].reversed()
            }
            // The end of a row; without runs, rows end at multiples of four bytes.
            data += [UInt8](repeating: 0, count: inRuns ? 2 : width % 4)
        }
        if inRuns { data += [0, 1] }
        var palette = [UInt8]()
        if inRuns { for grey in UInt8.min...UInt8.max { palette += [grey, grey, grey, 0] } }
        let start = 54 + palette.count
        var file = Array("BM".utf8) + little(start + data.count) + little(0) + little(start)
        file += bitmapHeader(width, height, bits: inRuns ? 8 : 24, compression: inRuns ? 1 : 0)
        return file + palette + data
    }

    /// A Windows icon of one picture of 32 bits with alpha.
    ///
    /// - Parameters:
    ///   - side: Width and height in pixels, up to 256.
    ///   - seed: Chooses the picture; within ``seeds``.
    /// - Source: Microsoft, Icons.
    public static func iconFile(side: Int, seed: Int) -> [UInt8] {
        let pixels = picture(width: side, height: side, seed: seed).pixels
        var data = bitmapHeader(side, side * 2, bits: 32, compression: 0)
        for row in (0..<side).reversed() {
            for start in stride(from: row * side * 4, to: (row + 1) * side * 4, by: 4) {
                data += [pixels[start + 2], pixels[start + 1], pixels[start], 128]
            }
        }
        data += [UInt8](repeating: 0, count: (side + 31) / 32 * 4 * side)
        let side = UInt8(side % 256)
        let entry: [UInt8] = [side, side, 0, 0, 1, 0, 32, 0]
        return [0, 0, 1, 0, 1, 0] + entry + little(data.count) + little(22) + data
    }

    private static func bitmapHeader(_ width: Int, _ height: Int, bits: UInt8, compression: Int) -> [UInt8] {
        let planes: [UInt8] = [1, 0, bits, 0]
        return little(40) + little(width) + little(height) + planes + little(compression)
            + [UInt8](repeating: 0, count: 20)
    }

    private static func little(_ value: Int) -> [UInt8] { bigEndian(UInt32(value)).reversed() }
}
