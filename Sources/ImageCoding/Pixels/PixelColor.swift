// SPDX-License-Identifier: MIT
/// An sRGB colour, 8 bits a channel, not premultiplied.
public struct PixelColor: Hashable, Sendable {
    /// Red.
    public var red: UInt8
    /// Green.
    public var green: UInt8
    /// Blue.
    public var blue: UInt8
    /// Opacity: 0 is transparent, 255 opaque.
    public var alpha: UInt8

    /// Creates a colour.
    ///
    /// - Parameters:
    ///   - red: Red.
    ///   - green: Green.
    ///   - blue: Blue.
    ///   - alpha: Opacity. 255 by default.
    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }

    /// White.
    public static let white = PixelColor(red: 255, green: 255, blue: 255)
    /// Black.
    public static let black = PixelColor(red: 0, green: 0, blue: 0)
    /// Transparent.
    public static let clear = PixelColor(red: 0, green: 0, blue: 0, alpha: 0)
}

extension PixelColor {
    /// A pixel of this colour.
    var premultiplied: [UInt8] {
        [Bitmap.multiply(red, alpha), Bitmap.multiply(green, alpha), Bitmap.multiply(blue, alpha), alpha]
    }
}

extension PixelColor: CustomStringConvertible {
    /// The colour as `#rrggbb`, or `#rrggbbaa` unless it is opaque.
    public var description: String {
        "#"
            + ([red, green, blue] + (alpha == 255 ? [] : [alpha])).map { channel in
                let digits = String(channel, radix: 16)
                return channel < 16 ? "0" + digits : digits
            }.joined()
    }
}
