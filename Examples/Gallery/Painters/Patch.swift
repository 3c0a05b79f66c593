// SPDX-License-Identifier: MIT
import WebImageBinding

/// Opaque pixels, three bytes each, ready to be painted.
struct Patch: Hashable, Sendable {
    let width: Int
    let height: Int
    /// Red, green and blue, rows top down, `width * 3` bytes each.
    private(set) var pixels: [UInt8]

    init(width: Int, height: Int, color: Color = .tile) {
        self.width = max(0, width)
        self.height = max(0, height)
        pixels = []
        pixels.reserveCapacity(self.width * self.height * 3)
        for _ in 0..<self.width * self.height { pixels += [color.red, color.green, color.blue] }
    }

    func color(_ x: Int, _ y: Int) -> Color {
        let offset = (y * width + x) * 3
        return Color(pixels[offset], pixels[offset + 1], pixels[offset + 2])
    }

    /// Draws a frame in the middle, as large as it fits, mixed with the present pixels.
    ///
    /// - Parameters:
    ///   - frame: The frame that a player has made; `nil` for the first one. To make another one here could cost all
    ///     frames before it.
    ///   - opacity: 0 changes nothing; 256 draws the picture with its own transparency alone.
    mutating func draw(_ picture: DecodedImage, frame: DecodedImage.Frame? = nil, opacity: Int = 256) {
        guard width > 0, height > 0 else { return }
        let source = frame?.pixels ?? picture.pixels
        let fitted = Self.fit(picture.size, into: PixelSize(width: width, height: height))
        let left = (width - fitted.width) / 2
        let top = (height - fitted.height) / 2
        let isSameSize = fitted == picture.size
        let columns = Sampling(from: picture.width, to: fitted.width)
        let rows = Sampling(from: picture.height, to: fitted.height)
        for y in 0..<fitted.height {
            var offset = ((top + y) * width + left) * 3
            for x in 0..<fitted.width {
                if isSameSize {
                    let from = (y * picture.width + x) * 4
                    mix(
                        (Int(source[from]), Int(source[from + 1]), Int(source[from + 2]), Int(source[from + 3])),
                        opacity, at: offset)
                } else {
                    mix(Self.sample(source, picture.width, columns, x, rows, y), opacity, at: offset)
                }
                offset += 3
            }
        }
    }

    private typealias Sample = (red: Int, green: Int, blue: Int, alpha: Int)

    private mutating func mix(_ sample: Sample, _ opacity: Int, at offset: Int) {
        let rest = 255 * 256 - sample.alpha * opacity
        func mixed(_ value: Int, _ present: UInt8) -> UInt8 {
            UInt8(min(255, (value * opacity * 255 + Int(present) * rest) / (255 * 256)))
        }
        pixels[offset] = mixed(sample.red, pixels[offset])
        pixels[offset + 1] = mixed(sample.green, pixels[offset + 1])
        pixels[offset + 2] = mixed(sample.blue, pixels[offset + 2])
    }

    /// The mean of the pixels that count for a place, by their weights.
    private static func sample(
        _ source: [UInt8], _ width: Int, _ columns: Sampling, _ x: Int, _ rows: Sampling, _ y: Int
    ) -> Sample {
        var sum: Sample = (0, 0, 0, 0)
        var total = 0
        for row in rows.first[y]...rows.last[y] {
            let high = rows.shares.map { row == rows.first[y] ? 256 - $0[y] : $0[y] } ?? 1
            for column in columns.first[x]...columns.last[x] {
                let weight = high * (columns.shares.map { column == columns.first[x] ? 256 - $0[x] : $0[x] } ?? 1)
                let from = (row * width + column) * 4
                sum.red += Int(source[from]) * weight
                sum.green += Int(source[from + 1]) * weight
                sum.blue += Int(source[from + 2]) * weight
                sum.alpha += Int(source[from + 3]) * weight
                total += weight
            }
        }
        guard total > 0 else { return sum }
        let half = total / 2
        return (
            (sum.red + half) / total, (sum.green + half) / total, (sum.blue + half) / total, (sum.alpha + half) / total
        )
    }

    /// The largest size of the same shape inside `box`, at least one pixel.
    static func fit(_ size: PixelSize, into box: PixelSize) -> PixelSize {
        if size.width * box.height >= size.height * box.width {
            let height = (size.height * box.width + size.width / 2) / size.width
            return PixelSize(width: box.width, height: min(box.height, max(1, height)))
        }
        let width = (size.width * box.height + size.height / 2) / size.height
        return PixelSize(width: min(box.width, max(1, width)), height: box.height)
    }
}
