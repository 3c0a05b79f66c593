// SPDX-License-Identifier: MIT
import PlatformBasics
import WebImage

/// Draws hills in front of a low sun: what the demonstration downloads.
///
/// It draws at half the size and lets a transformer enlarge the picture, so that a debug build takes some
/// milliseconds for it.
enum Hills {
    /// - Parameters:
    ///   - size: The size in pixels.
    ///   - frames: How many frames; with more than one the hills pass by, and begin again after the last.
    ///   - seed: Chooses the colours and the hills.
    static func picture(_ size: PixelSize, frames: Int = 1, seed: Int) throws -> DecodedImage {
        let (width, height) = ((size.width + 1) / 2, (size.height + 1) / 2)
        let drawn = (0..<frames).map { frame in
            DecodedImage.Frame(
                pixels: pixels(width, height, seed, phase: Double(frame) / Double(frames)),
                duration: frames == 1 ? .zero : .milliseconds(120))
        }
        let half = try DecodedImage(width: width, height: height, frames: drawn, hasAlpha: false)
        return try ResizeTransformer(size: size, mode: .fill, allowsEnlarging: true).transform(half)
    }

    private static let sun: [UInt8] = [255, 244, 214, 255]

    private static func pixels(_ width: Int, _ height: Int, _ seed: Int, phase: Double) -> [UInt8] {
        let hue = 0.618 * Double(seed)
        let ridges = (1...4).map { ridge(width, height, seed, $0, phase) }
        let slopes = (1...4).map { (index: Int) in colour(hue, light: 0.75 - 0.17 * Double(index)) }
        let (left, top) = (Double(width * (3 + seed % 5)) / 10, Double(height) * 0.4)
        let radius = Double(height) / 9
        var pixels: [UInt8] = []
        pixels.reserveCapacity(width * height * 4)
        for y in 0..<height {
            let depth = Double(y) / Double(height)
            let sky = colour(hue + 0.25 - 0.3 * depth, light: 0.8 + 0.2 * depth)
            for x in 0..<width {
                var seen = sky
                let (across, down) = (Double(x) - left, Double(y) - top)
                let distance = (across * across + down * down).squareRoot()
                blend(&seen, sun, radius - distance)
                for index in 0..<4 { blend(&seen, slopes[index], Double(y) - ridges[index][x]) }
                pixels += seen
            }
        }
        return pixels
    }

    /// Covers a pixel that is `depth` pixels inside of a shape; at the edge of the shape, half of it.
    private static func blend(_ pixel: inout [UInt8], _ other: [UInt8], _ depth: Double) {
        if depth >= 0.5 { return pixel = other }
        guard depth > -0.5 else { return }
        for index in 0..<3 {
            let (from, to) = (Double(pixel[index]), Double(other[index]))
            pixel[index] = UInt8(from + (to - from) * (depth + 0.5))
        }
    }

    /// The row at which a chain of hills begins, for each column; the nearer ones are lower and wider.
    private static func ridge(_ width: Int, _ height: Int, _ seed: Int, _ index: Int, _ phase: Double) -> [Double] {
        let shift = Double(seed * 7 + index * 5)
        let base: Double = 0.35 + 0.12 * Double(index)
        return (0..<width).map { (x: Int) -> Double in
            let turn: Double = 2 * Double.pi * (Double(x) / Double(width) + phase)
            let wide: Double = sin(turn * Double(5 - index) + shift)
            let narrow: Double = sin(turn * Double(9 - index) + 2 * shift)
            let place: Double = base + 0.05 * wide + 0.025 * narrow
            return place * Double(height)
        }
    }

    /// A colour of the circle, `hue` turns round it, as bytes of a pixel.
    private static func colour(_ hue: Double, light: Double) -> [UInt8] {
        let bytes = [0, 0.33, 0.67].map { (turn: Double) -> UInt8 in
            let part: Double = 0.7 + 0.3 * cos(2 * Double.pi * (hue + turn))
            return UInt8(255 * min(1, light * part))
        }
        return bytes + [255]
    }
}
