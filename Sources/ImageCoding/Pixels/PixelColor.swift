/// An opaque sRGB colour, 8 bits a channel.
public struct PixelColor: Hashable, Sendable {
    /// Red.
    public var red: UInt8
    /// Green.
    public var green: UInt8
    /// Blue.
    public var blue: UInt8

    /// Creates a colour.
    ///
    /// - Parameters:
    ///   - red: Red.
    ///   - green: Green.
    ///   - blue: Blue.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// White.
    public static let white = PixelColor(red: 255, green: 255, blue: 255)
    /// Black.
    public static let black = PixelColor(red: 0, green: 0, blue: 0)
}

extension PixelColor: CustomStringConvertible {
    /// The colour as `#rrggbb`.
    public var description: String {
        "#"
            + [red, green, blue].map { channel in
                let digits = String(channel, radix: 16)
                return channel < 16 ? "0" + digits : digits
            }.joined()
    }
}
