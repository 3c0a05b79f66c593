// SPDX-License-Identifier: MIT
import Foundation
import ImageCoding

/// A name below a picture.
enum Caption {
    /// The height of its letters with the space above and below, in pixels.
    static let height = 22

    /// The letters that reach below the line, by columns, the top dot in the lowest bit; those of the font do not.
    private static let descenders: [Unicode.Scalar: [UInt16]] = [
        "g": [0x038, 0x144, 0x144, 0x144, 0x0FC], "j": [0x080, 0x100, 0x104, 0x0FD, 0x000],
        "p": [0x1FC, 0x044, 0x044, 0x044, 0x038], "q": [0x038, 0x044, 0x044, 0x044, 0x1FC],
        "y": [0x03C, 0x140, 0x140, 0x140, 0x0FC],
    ]

    /// Dark grey letters on a transparent ground, at most this wide: of a longer name the beginning and the end.
    ///
    /// The letters have five by seven dots. Enlarged with a smooth filter, and made steep again, their edges are round.
    static func picture(_ name: String, width: Int) throws -> DecodedImage {
        // Letters without the marks above and below them, which the font has not.
        var text = name.decomposedStringWithCanonicalMapping.unicodeScalars.filter {
            $0.properties.generalCategory != .nonspacingMark
        }
        let most = max(1, width / (2 * (Font.width + 1)))
        if text.count > most {
            let end = max(0, (most - 2) / 2)
            text = .init(
                Array(text.prefix(max(0, most - 2 - end))) + Array("..".unicodeScalars) + Array(text.suffix(end)))
        }
        let size = PixelSize(width: text.count * (Font.width + 1) + 1, height: Font.height + 4)
        var dots = try PremultipliedCanvas(size)
        for (place, scalar) in text.enumerated() {
            let columns = descenders[scalar] ?? Font.columns(of: scalar).map(UInt16.init)
            for (x, column) in columns.enumerated() {
                for y in 0..<9 where column >> UInt16(y) & 1 == 1 {
                    dots.fill(
                        PixelRect(x: place * (Font.width + 1) + x + 1, y: y + 2, width: 1, height: 1), with: .black)
                }
            }
        }
        let large = try ResizeTransformer(
            size: PixelSize(width: size.width * 6, height: size.height * 6), mode: .stretch, allowsEnlarging: true
        ).transform(dots.image)
        var steep = large.pixels
        for pixel in stride(from: 0, to: steep.count, by: 4) {
            let alpha = UInt8(min(255, max(0, (Int(steep[pixel + 3]) - 112) * 8)))
            for channel in 0..<3 { steep[pixel + channel] = UInt8(Int(alpha) * 70 / 255) }
            steep[pixel + 3] = alpha
        }
        let letters = try DecodedImage(
            width: large.width, height: large.height, frames: [.init(pixels: steep)], hasAlpha: true)
        return try ResizeTransformer(
            size: PixelSize(width: size.width * 2, height: size.height * 2), mode: .stretch
        ).transform(letters)
    }
}
