// SPDX-License-Identifier: MIT
/// A colour of 24 bits.
struct Color: Hashable, Sendable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    init(_ red: UInt8, _ green: UInt8, _ blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// - Parameter part: 0 for this colour, 256 for the other one.
    func mixed(with other: Color, _ part: Int) -> Color {
        func mixed(_ one: UInt8, _ other: UInt8) -> UInt8 { UInt8((Int(one) * (256 - part) + Int(other) * part) / 256) }
        return Color(mixed(red, other.red), mixed(green, other.green), mixed(blue, other.blue))
    }

    static let background = Color(16, 16, 20)
    static let tile = Color(34, 34, 42)
    static let text = Color(200, 200, 208)
    static let dim = Color(120, 120, 132)
    static let accent = Color(255, 196, 80)
    static let faint = Color(64, 64, 76)
    static let good = Color(128, 204, 128)
    static let busy = Color(128, 176, 255)
    static let alarm = Color(240, 96, 88)
}

/// One character on the screen, or a piece of a picture that was drawn by the terminal's graphics.
struct ScreenCell: Hashable, Sendable {
    var character: Unicode.Scalar = " "
    var foreground = Color.text
    var background = Color.background
    /// The picture that covers the cell; `nil` for text.
    var picture: Int?

    static let upperHalf: Unicode.Scalar = "▀"
}

/// Rows and columns of the screen, counted from 0 at the top left.
struct ScreenRect: Hashable, Sendable {
    var column: Int
    var row: Int
    var columns: Int
    var rows: Int
}
