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
    /// - Parameter opacity: 0 changes nothing; 256 draws the picture with its own transparency alone.
    mutating func draw(_ picture: DecodedImage, frame: Int, opacity: Int = 256) {
        guard width > 0, height > 0, let source = try? picture.frame(at: frame).pixels else { return }
        let fitted = Self.fit(picture.size, into: PixelSize(width: width, height: height))
        let left = (width - fitted.width) / 2
        let top = (height - fitted.height) / 2
        for y in 0..<fitted.height {
            let row = y * picture.height / fitted.height * picture.width
            var offset = ((top + y) * width + left) * 3
            for x in 0..<fitted.width {
                let from = (row + x * picture.width / fitted.width) * 4
                let rest = 255 * 256 - Int(source[from + 3]) * opacity
                for channel in 0..<3 {
                    let mixed = Int(source[from + channel]) * opacity * 255 + Int(pixels[offset]) * rest
                    pixels[offset] = UInt8(min(255, mixed / (255 * 256)))
                    offset += 1
                }
            }
        }
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
