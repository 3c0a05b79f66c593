// SPDX-License-Identifier: MIT
import CImageShims

/// Fills a box and keeps the most interesting part of the picture.
///
/// What is cut off is decided on a small copy, in an animation on that of the first frame, and for all frames alike.
/// Results change when the rules for what is interesting do.
public struct SmartCropTransformer: ImageTransforming, Hashable {
    /// What makes a part interesting.
    public enum Interest: String, Hashable, Sendable, CaseIterable {
        /// Many different shades: for structure anywhere in a picture.
        case entropy
        /// Edges, strong colours and the colours of skin: for things and people in front of a background.
        case attention
    }

    /// The box, in pixels.
    let size: PixelSize
    /// What makes a part interesting.
    var interest = Interest.attention

    /// The name, the box and what is interesting.
    public var key: String { "smartcrop(\(size),\(interest.rawValue))" }

    /// The size that fills the box; none for a box or a picture without area.
    public func resultSize(for size: PixelSize) -> PixelSize {
        ResizeTransformer(size: self.size, mode: .fill).resultSize(for: size)
    }

    /// The small copy, and its scores.
    public func workingByteCount(for size: PixelSize) -> Int { 512 << 10 }

    /// Finds the part, and resizes every frame of it.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a box without area; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        let resize = ResizeTransformer(size: size, mode: .fill)
        guard size.width > 0, size.height > 0 else { return try resize.transform(image) }
        return try ResizeTransformer(size: size, mode: .fill, gravity: gravity(in: image)).transform(image)
    }

    /// Where the most interesting part of a picture is.
    ///
    /// - Throws: `CancellationError`.
    func gravity(in image: DecodedImage) throws -> Gravity {
        let sketch = try CropSketch(image)
        // The largest part of the sketch that has the shape of the result.
        let part = resultSize(for: image.size).fitted(into: sketch.size, enlarging: true)
        return try Gravity(
            x: sketch.place(of: part.width, .across, interest), y: sketch.place(of: part.height, .down, interest))
    }
}

extension ImageTransforming where Self == SmartCropTransformer {
    /// Fills a box and keeps the most interesting part of the picture.
    ///
    /// - Parameters:
    ///   - size: The box, in pixels.
    ///   - interest: What makes a part interesting.
    public static func smartCrop(
        to size: PixelSize, interest: SmartCropTransformer.Interest = .attention
    ) -> SmartCropTransformer {
        SmartCropTransformer(size: size, interest: interest)
    }
}

/// A small copy of a picture, whose parts are compared.
struct CropSketch {
    enum Direction { case across, down }

    /// The longest side, in pixels: enough to tell what is where.
    static let side = 96

    let size: PixelSize
    /// RGBA, premultiplied, so that what is transparent is dark and flat.
    private let pixels: [UInt8]

    init(_ image: DecodedImage) throws {
        let box = PixelSize(width: CropSketch.side, height: CropSketch.side)
        let small = try ResizeTransformer(size: box).transform(image.firstFrame)
        (size, pixels) = (small.size, small.pixels)
    }

    /// Where the most interesting strip lies: 0 at the beginning, 1 at the end. The middle when all are alike.
    ///
    /// - Parameter length: The pixels of the strip.
    func place(of length: Int, _ direction: Direction, _ interest: SmartCropTransformer.Interest) throws -> Double {
        let count = direction == .across ? size.width : size.height
        guard length > 0, length < count else { return 0.5 }
        try Task.checkCancellation()
        let scores =
            switch interest {
            case .attention: sums(of: length, lines(direction).map { $0.reduce(0) { $0 + attention(at: $1) } })
            case .entropy: entropies(of: length, lines(direction).map { $0.map(shade) })
            }
        let last = Double(count - length)
        func distance(_ start: Int) -> Double { abs(Double(start) - last / 2) }
        let best = scores.indices.max { (scores[$0], distance($1)) < (scores[$1], distance($0)) }
        return Double(best ?? 0) / last
    }

    /// The pixels of each column, or of each row.
    private func lines(_ direction: Direction) -> [[Int]] {
        let (width, height) = (size.width, size.height)
        return direction == .across
            ? (0..<width).map { x in (0..<height).map { $0 * width + x } }
            : (0..<height).map { y in (0..<width).map { y * width + $0 } }
    }

    /// The sum of each strip.
    private func sums(of length: Int, _ lines: [Double]) -> [Double] {
        let totals = lines.reduce(into: [0]) { $0.append($0[$0.count - 1] + $1) }
        // Rounded, so that strips that are alike stay alike.
        return (0...lines.count - length).map { ((totals[$0 + length] - totals[$0]) * 1e6).rounded() }
    }

    /// The entropy of the shades in each strip, in bits.
    private func entropies(of length: Int, _ lines: [[Int]]) -> [Double] {
        var counts = [Int](repeating: 0, count: 32)
        return lines.indices.compactMap { end in
            for shade in lines[end] { counts[shade] += 1 }
            guard end + 1 >= length else { return nil }
            let start = end + 1 - length
            let total = Double(length * lines[end].count)
            let entropy = counts.reduce(0.0) { sum, count in
                count == 0 ? sum : sum - Double(count) / total * log2(Double(count) / total)
            }
            for shade in lines[start] { counts[shade] -= 1 }
            return (entropy * 1e6).rounded()
        }
    }

    private func shade(_ pixel: Int) -> Int { Int(light(pixel)) / 8 }

    /// The luminance, 0 to 255.
    private func light(_ pixel: Int) -> Double {
        let at = pixel * 4
        return 0.2126 * Double(pixels[at]) + 0.7152 * Double(pixels[at + 1]) + 0.0722 * Double(pixels[at + 2])
    }

    /// How much a pixel draws the eye, 0 to about 2.5.
    private func attention(at pixel: Int) -> Double {
        let (x, y) = (pixel % size.width, pixel / size.width)
        var edge = 0.0
        if x > 0, y > 0, x < size.width - 1, y < size.height - 1 {
            let around = light(pixel - 1) + light(pixel + 1) + light(pixel - size.width) + light(pixel + size.width)
            edge = min(abs(4 * light(pixel) - around) / 255, 1)
        }
        let color = SIMD3(pixels[pixel * 4], pixels[pixel * 4 + 1], pixels[pixel * 4 + 2])
        let (most, least) = (Double(color.max()), Double(color.min()))
        guard most > 50 else { return edge }
        let saturation = max((most - least) / most - 0.4, 0) / 0.6
        let values = SIMD3<Double>(Double(color.x), Double(color.y), Double(color.z))
        // The direction of skin in RGB, whatever its lightness.
        let skin = SIMD3(0.735, 0.537, 0.414)
        let away = values / (values * values).sum().squareRoot() - skin
        let likeness = max(1 - (away * away).sum().squareRoot() - 0.85, 0) / 0.15
        return edge + saturation / 2 + likeness
    }
}
