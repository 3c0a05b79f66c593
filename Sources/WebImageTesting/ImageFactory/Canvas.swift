import ImageCoding

/// Draws the pixels of a factory picture from integers alone, so that they are the same everywhere.
struct Canvas {
    private typealias Color = SIMD3<Int>

    private struct Disc {
        let x: Int
        let y: Int
        let radius: Int
        let color: Color
    }

    private let width: Int
    private let height: Int
    private let seed: Int
    private let hasAlpha: Bool
    private let corners: [Color]
    private let discs: [Disc]

    init(width: Int, height: Int, seed: Int, hasAlpha: Bool) {
        precondition(width > 0 && height > 0, "A picture needs a pixel.")
        precondition(ImageFactory.seeds.contains(seed), "A picture carries seeds from 0 to 65535.")
        self.width = width
        self.height = height
        self.seed = seed
        self.hasAlpha = hasAlpha
        var random = SeededGenerator(seed: UInt64(seed) &+ 1)
        func color() -> Color { Color(random.next(below: 256), random.next(below: 256), random.next(below: 256)) }
        corners = (0..<4).map { _ in color() }
        discs = (0..<6).map { _ in
            Disc(
                x: random.next(below: width), y: random.next(below: height),
                radius: max(1, random.next(below: max(2, min(width, height) / 4))), color: color())
        }
    }

    /// The frame `step` of the animation, premultiplied; step 0 is the still picture.
    func pixels(movedBy step: Int) -> [UInt8] {
        var pixels = [UInt8](repeating: 255, count: width * height * 4)
        var offset = 0
        for y in 0..<height {
            var row = self.row(y)
            drawDiscs(y, on: &row)
            drawBar(y, step, on: &row)
            drawBlocks(y, on: &row)
            for x in 0..<width {
                let alpha = alpha(x, y)
                let color = row[x]
                pixels[offset] = UInt8((color.x * alpha + 127) / 255)
                pixels[offset + 1] = UInt8((color.y * alpha + 127) / 255)
                pixels[offset + 2] = UInt8((color.z * alpha + 127) / 255)
                pixels[offset + 3] = UInt8(alpha)
                offset += 4
            }
        }
        return pixels
    }

    /// A gradient between four colours under dark diagonal stripes.
    private func row(_ y: Int) -> [Color] {
        let down = y * 255 / max(1, height - 1)
        let left = corners[0] &* (255 - down) &+ corners[2] &* down
        let right = corners[1] &* (255 - down) &+ corners[3] &* down
        return (0..<width).map { x in
            let across = x * 255 / max(1, width - 1)
            let red = (left.x * (255 - across) + right.x * across) / 65_025
            let green = (left.y * (255 - across) + right.y * across) / 65_025
            let blue = (left.z * (255 - across) + right.z * across) / 65_025
            let stripe = (x + y) / 4 % 8 == 0 ? 24 : 0
            return Color(max(0, red - stripe), max(0, green - stripe), max(0, blue - stripe))
        }
    }

    private func drawDiscs(_ y: Int, on row: inout [Color]) {
        for disc in discs.reversed() {
            let dy = y - disc.y
            guard abs(dy) < disc.radius else { continue }
            for x in max(0, disc.x - disc.radius)..<min(width, disc.x + disc.radius) {
                let dx = x - disc.x
                if dx * dx + dy * dy < disc.radius * disc.radius { row[x] = disc.color }
            }
        }
    }

    /// A white bar in the bottom half that moves right by its own width with every step after the first.
    private func drawBar(_ y: Int, _ step: Int, on row: inout [Color]) {
        guard step > 0, y >= height / 2 else { return }
        let side = max(1, width / 8)
        let start = min(width, (step - 1) % 8 * side)
        for x in start..<min(width, start + side) { row[x] = Color(repeating: 255) }
    }

    /// The seed's bits, black or white, in the top left quarter.
    private func drawBlocks(_ y: Int, on row: inout [Color]) {
        let line = y * 8 / height
        guard line < 4 else { return }
        for x in 0..<width {
            let column = x * 8 / width
            if column >= 4 { return }
            row[x] = Color(repeating: seed >> (line * 4 + column) & 1 == 1 ? 255 : 0)
        }
    }

    private func alpha(_ x: Int, _ y: Int) -> Int {
        guard hasAlpha, x >= width / 2, y >= height / 2 else { return 255 }
        return 255 - (x - width / 2) * 255 / max(1, width - width / 2 - 1)
    }
}
