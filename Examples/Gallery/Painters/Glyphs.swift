// SPDX-License-Identifier: MIT
/// Paints with characters that divide a cell between two colours along a grid of 2 by 4 pixels.
///
/// Quadrants divide it into 2 by 2 parts and are in nearly every font. Octants divide it into all 8 pixels; terminals
/// that draw them themselves, such as kitty, Ghostty and foot, need no font for them.
///
/// - Source: The Unicode Standard 16, "Block Elements" and "Symbols for Legacy Computing Supplement".
enum Glyphs {
    /// Pixels of a cell.
    static let width = 2
    static let height = 4

    /// The cells that show a patch of 2 by 4 pixels to each, row by row.
    ///
    /// Each cell has the shape and the two colours with the smallest squared difference to its pixels.
    ///
    /// - Parameter graphics: `.quadrants` or `.octants`.
    static func cells(_ patch: Patch, _ graphics: Graphics) -> [ScreenCell] {
        let units = graphics == .octants ? eighths : quarters
        let unitsOfPixels = (0..<width * height).map { pixel -> Int in
            units.firstIndex { $0 >> pixel & 1 == 1 } ?? 0
        }
        var cells: [ScreenCell] = []
        cells.reserveCapacity(patch.width / width * (patch.height / height))
        for row in 0..<patch.height / height {
            for column in 0..<patch.width / width {
                cells.append(cell(patch, column * width, row * height, units, unitsOfPixels))
            }
        }
        return cells
    }

    /// The pixels that a character fills, the top left one in the lowest bit, row by row; `nil` for other characters.
    static func shape(of character: Unicode.Scalar) -> UInt8? { shapes[character] }

    /// The character that fills the pixels of `shape`.
    static func character(of shape: UInt8) -> Unicode.Scalar { characters[Int(shape)] }

    // MARK: - Colours

    private static let eighths: [UInt8] = (0..<8).map { 1 << $0 }
    private static let quarters: [UInt8] = [0x05, 0x0A, 0x50, 0xA0]

    /// The sums of the channels of some pixels.
    private struct Sum {
        var count = 0
        var red = 0
        var green = 0
        var blue = 0

        static func + (one: Sum, other: Sum) -> Sum {
            Sum(
                count: one.count + other.count, red: one.red + other.red, green: one.green + other.green,
                blue: one.blue + other.blue)
        }

        static func - (one: Sum, other: Sum) -> Sum {
            Sum(
                count: one.count - other.count, red: one.red - other.red, green: one.green - other.green,
                blue: one.blue - other.blue)
        }

        mutating func add(_ color: Color) {
            count += 1
            red += Int(color.red)
            green += Int(color.green)
            blue += Int(color.blue)
        }

        var mean: Color {
            guard count > 0 else { return .tile }
            func rounded(_ sum: Int) -> UInt8 { UInt8((sum + count / 2) / count) }
            return Color(rounded(red), rounded(green), rounded(blue))
        }

        /// How much of the squared values the mean explains.
        var explained: Double {
            count > 0 ? Double(red * red + green * green + blue * blue) / Double(count) : 0
        }
    }

    private static func cell(
        _ patch: Patch, _ left: Int, _ top: Int, _ units: [UInt8], _ unitsOfPixels: [Int]
    ) -> ScreenCell {
        var parts = Array(repeating: Sum(), count: units.count)
        for pixel in 0..<width * height {
            let color = patch.color(left + pixel % width, top + pixel / width)
            parts[unitsOfPixels[pixel]].add(color)
        }
        let whole = parts.reduce(Sum(), +)
        var ink = Sum()
        var shape: UInt8 = 0
        // A little more than a cell of one colour, so that noise makes no shapes.
        var best = (explained: whole.explained + 24, ink: Sum(), shape: UInt8(0))
        // In the order of a Gray code: one part changes sides at each step. The last part stays on the ground, because
        // a shape and its opposite give the same cell.
        for step in 1..<1 << (units.count - 1) {
            let unit = step.trailingZeroBitCount
            shape ^= units[unit]
            ink = shape & units[unit] != 0 ? ink + parts[unit] : ink - parts[unit]
            let explained = ink.explained + (whole - ink).explained
            if explained > best.explained { best = (explained, ink, shape) }
        }
        return ScreenCell(
            character: character(of: best.shape), foreground: best.shape == 0 ? .text : best.ink.mean,
            background: (whole - best.ink).mean)
    }

    // MARK: - Characters

    private static let shapes: [Unicode.Scalar: UInt8] = Dictionary(
        uniqueKeysWithValues: characters.enumerated().map { ($1, UInt8($0)) })

    /// By shape. Those that Unicode had under another name before are not among the octants.
    private static let characters: [Unicode.Scalar] = {
        var known: [Int: Unicode.Scalar] = [
            0x01: "\u{1CEA8}", 0x02: "\u{1CEAB}", 0x03: "\u{1FB82}", 0x40: "\u{1CEA3}", 0x80: "\u{1CEA0}",
            0xC0: "\u{2582}", 0x3F: "\u{1FB85}", 0xFC: "\u{2586}", 0x14: "\u{1FBE6}", 0x28: "\u{1FBE7}",
        ]
        for (number, character) in " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█".unicodeScalars.enumerated() {
            let shape = quarters.indices.reduce(0) { number >> $1 & 1 == 1 ? $0 | Int(quarters[$1]) : $0 }
            known[shape] = character
        }
        var next: UInt32 = 0x1CD00
        return (0..<256).map { shape in
            if let character = known[shape] { return character }
            defer { next += 1 }
            return Unicode.Scalar(next) ?? "?"
        }
    }()
}
