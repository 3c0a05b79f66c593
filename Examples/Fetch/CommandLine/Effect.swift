// SPDX-License-Identifier: MIT
import WebImage

/// The value of `--apply`: a transformer by its name, and its number behind a colon.
struct Effect {
    let transformer: any ImageTransforming

    /// Each name, with an example of its value.
    static let names = """
        grayscale, brightness:N, contrast:N, saturation:N, tint:RRGGBB, blur:SIGMA, sharpen, rotate:DEGREES, flip, \
        flop, trim, pad:N, round:RADIUS, circle, smartcrop:WxH
        """

    /// - Throws: ``UsageError`` for a text of another form.
    init(_ text: String) throws(UsageError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let wrong = UsageError(message: "--apply takes \(Effect.names), not \(text.printable)")
        let number = parts.count > 1 ? Double(parts[1]).flatMap { (-10_000...10_000).contains($0) ? $0 : nil } : nil
        func value() throws(UsageError) -> Double {
            guard let number else { throw wrong }
            return number
        }
        switch parts[0] {
        case "brightness": transformer = .brightness(try value())
        case "contrast": transformer = .contrast(try value())
        case "saturation": transformer = .saturation(try value())
        case "blur": transformer = .blur(sigma: try value())
        case "rotate": transformer = .rotate(degrees: try value())
        case "pad": transformer = .pad(by: Int(try value()))
        case "round": transformer = .round(radius: try value())
        case "tint":
            guard parts.count > 1, let color = PixelColor(hex: parts[1]) else { throw wrong }
            transformer = .tint(color)
        case "smartcrop":
            let sides = parts.last?.split(separator: "x").map { Int($0) ?? 0 } ?? []
            guard sides.count == 2, sides.allSatisfy({ (1...65_500).contains($0) }) else { throw wrong }
            transformer = .smartCrop(to: PixelSize(width: sides[0], height: sides[1]))
        case _ where parts.count > 1: throw wrong
        case "grayscale": transformer = .grayscale
        case "sharpen": transformer = .sharpen()
        case "flip": transformer = .flip(.vertical)
        case "flop": transformer = .flip(.horizontal)
        case "trim": transformer = .trim()
        case "circle": transformer = .circle
        default: throw wrong
        }
    }
}

extension PixelColor {
    /// `RRGGBB` in hexadecimal, perhaps after a `#`.
    init?(hex text: String) {
        let digits = text.hasPrefix("#") ? text.dropFirst() : text[...]
        guard digits.utf8.count == 6, digits.allSatisfy(\.isHexDigit), let number = UInt32(digits, radix: 16) else {
            return nil
        }
        self.init(
            red: UInt8(number >> 16), green: UInt8(number >> 8 & 255), blue: UInt8(number & 255))
    }
}
