import ImageCoding

/// Draws the pixels of a factory picture from integers alone, so that they are the same everywhere.
struct Canvas {
    private struct Disc {
        let x: Int
        let y: Int
        let radius: Int
        let color: [Int]
    }

    private let width: Int
    private let height: Int
    private let seed: Int
    private let hasAlpha: Bool
    private let corners: [[Int]]
    private let discs: [Disc]

    init(width: Int, height: Int, seed: Int, hasAlpha: Bool) {
        precondition(width > 0 && height > 0, "A picture needs a pixel.")
        precondition(ImageFactory.seeds.contains(seed), "A picture carries seeds from 0 to 65535.")
        self.width = width
        self.height = height
        self.seed = seed
        self.hasAlpha = hasAlpha
        var random = SplitMix(state: UInt64(seed) &+ 1)
        func color() -> [Int] { (0..<3).map { _ in random.next(below: 256) } }
        corners = (0..<4).map { _ in color() }
        discs = (0..<6).map { _ in
            Disc(
                x: random.next(below: width), y: random.next(below: height),
                radius: max(1, random.next(below: max(2, min(width, height) / 4))), color: color())
        }
    }

    /// The frame `step` of the animation, premultiplied; step 0 is the still picture.
    func pixels(movedBy step: Int) -> [UInt8] {
        var pixels = [UInt8]()
        pixels.reserveCapacity(width * height * 4)
        for y in 0..<height {
            for x in 0..<width {
                let color = block(x, y) ?? bar(x, y, step) ?? shape(x, y)
                let alpha = self.alpha(x, y)
                for channel in color { pixels.append(UInt8((channel * alpha + 127) / 255)) }
                pixels.append(UInt8(alpha))
            }
        }
        return pixels
    }

    /// The seed's bits, black or white, in the top left quarter.
    private func block(_ x: Int, _ y: Int) -> [Int]? {
        let column = x * 8 / width
        let row = y * 8 / height
        guard column < 4, row < 4 else { return nil }
        return seed >> (row * 4 + column) & 1 == 1 ? [255, 255, 255] : [0, 0, 0]
    }

    /// A white bar in the bottom half that moves right by its own width with every step after the first.
    private func bar(_ x: Int, _ y: Int, _ step: Int) -> [Int]? {
        let side = max(1, width / 8)
        guard step > 0, y >= height / 2, (x / side) == (step - 1) % 8 else { return nil }
        return [255, 255, 255]
    }

    private func shape(_ x: Int, _ y: Int) -> [Int] {
        for disc in discs {
            let dx = x - disc.x
            let dy = y - disc.y
            if dx * dx + dy * dy < disc.radius * disc.radius { return disc.color }
        }
        let right = x * 255 / max(1, width - 1)
        let down = y * 255 / max(1, height - 1)
        let stripe = (x + y) / 4 % 8 == 0 ? 24 : 0
        return (0..<3).map { channel in
            let top = corners[0][channel] * (255 - right) + corners[1][channel] * right
            let bottom = corners[2][channel] * (255 - right) + corners[3][channel] * right
            return max(0, (top * (255 - down) + bottom * down) / (255 * 255) - stripe)
        }
    }

    private func alpha(_ x: Int, _ y: Int) -> Int {
        guard hasAlpha, x >= width / 2, y >= height / 2 else { return 255 }
        return 255 - (x - width / 2) * 255 / max(1, width - width / 2 - 1)
    }
}

/// A small generator with a known sequence.
///
/// - Source: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014.
struct SplitMix {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    mutating func next(below limit: Int) -> Int { Int(next() % UInt64(limit)) }
}
