// SPDX-License-Identifier: MIT
extension ImageFactory {
    /// A valid progressive JPEG of one colour whose scans after the first say nothing: 290 KB for 49 megapixels, and 90
    /// bytes for every scan.
    ///
    /// - Parameters:
    ///   - side: Width and height in pixels, up to 65,500.
    ///   - scans: How many scans, at least one.
    ///   - components: 1 (grey), 3 (YCbCr) or 4 (CMYK), none of them subsampled.
    /// - Source: ITU-T T.81, annexes B and G.
    public static func scanBombJPEG(side: Int = 7_000, scans: Int = 99, components: Int = 3) -> [UInt8] {
        let blocks = (side + 7) / 8 * ((side + 7) / 8)
        let ids = (1...components).map { UInt8($0) }
        var bytes: [UInt8] = [0xFF, 0xD8]
        bytes += segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
        let size = [UInt8(side >> 8), UInt8(side & 0xFF)]
        bytes += segment(0xC2, [8] + size + size + [UInt8(components)] + ids.flatMap { [$0, 0x11, 0] })
        // One code of one bit in each table: "the same as before", and "nothing in this block and the next 16,383".
        let lengths: [UInt8] = [1] + [UInt8](repeating: 0, count: 15)
        bytes += segment(0xC4, [0x00] + lengths + [0x00]) + segment(0xC4, [0x10] + lengths + [0xE0])
        bytes +=
            segment(0xDA, [UInt8(components)] + ids.flatMap { [$0, 0] } + [0, 0, 0]) + zeroBits(blocks * components)
        let empty = segment(0xDA, [1, 1, 0, 1, 63, 0]) + zeroBits((blocks + 16_383) / 16_384 * 15)
        bytes += repeated(empty, max(scans, 1) - 1)
        return bytes + [0xFF, 0xD9]
    }

    /// A JPEG of one pixel after `segments` empty comments, four bytes each.
    ///
    /// - Parameter segments: How many.
    public static func markerBombJPEG(segments: Int = 1_000_000) -> [UInt8] {
        let file = scanBombJPEG(side: 1, scans: 1)
        let empty = segment(0xFE, [])
        return file[..<2] + repeated(empty, segments) + file[2...]
    }

    private static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let length = payload.count + 2
        return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + payload
    }

    /// Zero bits, and ones up to the end of the last byte.
    private static func zeroBits(_ count: Int) -> [UInt8] {
        let rest = count % 8
        return [UInt8](repeating: 0, count: count / 8) + (rest == 0 ? [] : [0xFF >> UInt8(rest)])
    }
}
