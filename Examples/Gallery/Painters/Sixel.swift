// SPDX-License-Identifier: MIT
/// Paints with sixels: six pixels above each other in every byte, one colour after the other.
///
/// Colours are those of a cube with 6 by 7 by 6 corners, dithered, and that of the background.
///
/// - Source: DEC VT340 Graphics Programming, chapter 14.
enum Sixel {
    static let redLevels = 6
    static let greenLevels = 7
    static let blueLevels = 6
    /// The number of the background, which is not dithered.
    private static let ground = redLevels * greenLevels * blueLevels

    /// The bytes that draw a patch at the cursor.
    static func bytes(_ patch: Patch) -> [UInt8] {
        let indices = indexed(patch)
        var bytes = Array("\u{1B}P0;1;0q\"1;1;\(patch.width);\(patch.height)".utf8)
        for index in Set(indices).sorted() { bytes += Array(definition(index).utf8) }
        var top = 0
        while top < patch.height {
            if top > 0 { bytes.append(UInt8(ascii: "-")) }
            band(indices, patch.width, rows: top..<min(patch.height, top + 6), into: &bytes)
            top += 6
        }
        return bytes + Array("\u{1B}\\".utf8)
    }

    private static func definition(_ index: Int) -> String {
        func percent(_ value: UInt8) -> Int { (Int(value) * 100 + 127) / 255 }
        if index == ground {
            let color = Color.background
            return "#\(index);2;\(percent(color.red));\(percent(color.green));\(percent(color.blue))"
        }
        let blue = index % blueLevels
        let green = index / blueLevels % greenLevels
        let red = index / blueLevels / greenLevels
        return "#\(index);2;\(red * 100 / (redLevels - 1));\(green * 100 / (greenLevels - 1));"
            + "\(blue * 100 / (blueLevels - 1))"
    }

    /// One line of sixels for each colour in the band, laid over each other.
    private static func band(_ indices: [Int], _ width: Int, rows: Range<Int>, into bytes: inout [UInt8]) {
        var lines: [Int: [UInt8]] = [:]
        for y in rows {
            for x in 0..<width {
                lines[indices[y * width + x], default: [UInt8](repeating: 0, count: width)][x] |=
                    1 << UInt8(y - rows.lowerBound)
            }
        }
        for (position, line) in lines.sorted(by: { $0.key < $1.key }).enumerated() {
            if position > 0 { bytes.append(UInt8(ascii: "$")) }
            bytes += Array("#\(line.key)".utf8)
            compress(line.value, into: &bytes)
        }
    }

    private static func compress(_ line: [UInt8], into bytes: inout [UInt8]) {
        var start = 0
        while start < line.count {
            var end = start + 1
            while end < line.count, line[end] == line[start] { end += 1 }
            // Nothing more of this colour in the line.
            if line[start] == 0, end == line.count { return }
            let sixel = line[start] + 63
            if end - start > 3 {
                bytes += Array("!\(end - start)".utf8) + [sixel]
            } else {
                bytes += Array(repeating: sixel, count: end - start)
            }
            start = end
        }
    }

    /// The number of the colour of each pixel, dithered with a 4 by 4 matrix.
    private static func indexed(_ patch: Patch) -> [Int] {
        let matrix = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]
        func level(_ value: UInt8, _ levels: Int, _ threshold: Int) -> Int {
            (Int(value) * (levels - 1) * 16 + threshold * 255 + 127) / (255 * 16)
        }
        return (0..<patch.width * patch.height).map { position in
            if patch.color(position % patch.width, position / patch.width) == .background { return ground }
            let threshold = matrix[position / patch.width % 4 * 4 + position % patch.width % 4]
            let pixel = position * 3
            let red = level(patch.pixels[pixel], redLevels, threshold)
            let green = level(patch.pixels[pixel + 1], greenLevels, threshold)
            let blue = level(patch.pixels[pixel + 2], blueLevels, threshold)
            return (red * greenLevels + green) * blueLevels + blue
        }
    }
}
