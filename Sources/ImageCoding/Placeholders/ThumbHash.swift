// SPDX-License-Identifier: MIT
/// A picture as about 25 bytes that are drawn as a blur, with alpha and about the picture's shape.
///
/// - Source: evanw/thumbhash.
public struct ThumbHash: Hashable, Sendable {
    /// The bytes; in JSON as Base64.
    public let bytes: [UInt8]

    /// Creates a hash of the first frame.
    ///
    /// A picture beyond 100 pixels a side is made smaller first.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    /// - Complexity: O(pixels), and for up to 10,000 of them, times 50.
    public init(of image: DecodedImage) throws {
        let small = try image.shrunk(to: 100)
        let (width, height) = (small.width, small.height)
        let straight = try Bitmap.unpremultiplied(small.pixels)
        let count = small.size.pixelCount
        let samples = (0..<count).map { index -> Channels in
            let at = index * 4
            let color = Channels(Double(straight[at]), Double(straight[at + 1]), Double(straight[at + 2]), 255) / 255
            return color * (Double(straight[at + 3]) / 255)
        }
        let sum = samples.reduce(Channels(), +)
        let mean = sum.w > 0 ? sum / sum.w : Channels()
        // Luminance, yellow to blue, red to green, alpha; transparent pixels get the mean colour.
        let channels = samples.map { sample -> Channels in
            let color = sample + mean * (1 - sample.w)
            return Channels(
                (color.x + color.y + color.z) / 3, (color.x + color.y) / 2 - color.z, color.x - color.y, sample.w)
        }
        let layout = Layout(
            width: width, height: height, hasAlpha: straight.enumerated().contains { $0 % 4 == 3 && $1 < 255 })
        let across = Waves(7, over: width, offset: 0.5)
        let down = Waves(7, over: height, offset: 0.5)
        func part(_ channel: Int, _ columns: Int, _ rows: Int) throws -> Part {
            var values = [Double]()
            for (row, column) in Layout.waves(columns, rows) {
                try Task.checkCancellation()
                var sum = 0.0
                for y in 0..<height {
                    for x in 0..<width { sum += channels[y * width + x][channel] * across[column, x] * down[row, y] }
                }
                values.append(sum / Double(count))
            }
            let scale = values.dropFirst().reduce(0) { max($0, abs($1)) }
            let details = values.dropFirst().map { scale > 0 ? 0.5 + 0.5 / scale * $0 : $0 }
            return Part(mean: values[0], scale: scale, details: details)
        }
        let light = try part(0, max(layout.columns, 3), max(layout.rows, 3))
        let (yellow, red) = (try part(1, 3, 3), try part(2, 3, 3))
        func level(_ value: Double, _ most: Double) -> Int { Int(min(max((value * most).rounded(), 0), most)) }
        let head =
            level(light.mean, 63) | level(0.5 + yellow.mean / 2, 63) << 6 | level(0.5 + red.mean / 2, 63) << 12
            | level(light.scale, 31) << 18 | (layout.hasAlpha ? 1 << 23 : 0)
        let shape =
            (layout.isLandscape ? layout.rows : layout.columns) | level(yellow.scale, 63) << 3
            | level(red.scale, 63) << 9 | (layout.isLandscape ? 1 << 15 : 0)
        var bytes = [head, head >> 8, head >> 16, shape, shape >> 8].map { UInt8(truncatingIfNeeded: $0) }
        var details = light.details + yellow.details + red.details
        if layout.hasAlpha {
            let alpha = try part(3, 5, 5)
            bytes.append(UInt8(level(alpha.mean, 15) | level(alpha.scale, 15) << 4))
            details += alpha.details
        }
        let nibbles = details.map { UInt8(level($0, 15)) } + [0]
        for at in stride(from: 0, to: details.count, by: 2) { bytes.append(nibbles[at] | nibbles[at + 1] << 4) }
        self.bytes = bytes
    }

    /// Creates a hash from its bytes.
    ///
    /// - Returns: `nil` unless there are as many bytes as the first five announce.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count >= 5, bytes.count == Layout(bytes).byteCount else { return nil }
        self.bytes = bytes
    }

    /// Draws the blur, with a longer side of 32 pixels.
    public func image() -> DecodedImage {
        let layout = Layout(bytes)
        let head = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        let shape = Int(bytes[3]) | Int(bytes[4]) << 8
        var nibbles = bytes.dropFirst(layout.hasAlpha ? 6 : 5).flatMap { [$0 & 15, $0 >> 4] }.makeIterator()
        func part(_ mean: Double, _ scale: Double, _ columns: Int, _ rows: Int) -> Part {
            let count = Layout.waves(columns, rows).count - 1
            let details = (0..<count).map { _ in (Double(nibbles.next() ?? 0) / 7.5 - 1) * scale }
            return Part(mean: mean, scale: scale, details: details)
        }
        // Colours get a quarter more saturation than they had.
        let light = part(
            Double(head & 63) / 63, Double(head >> 18 & 31) / 31, max(layout.columns, 3), max(layout.rows, 3))
        let yellow = part(Double(head >> 6 & 63) / 31.5 - 1, Double(shape >> 3 & 63) / 63 * 1.25, 3, 3)
        let red = part(Double(head >> 12 & 63) / 31.5 - 1, Double(shape >> 9 & 63) / 63 * 1.25, 3, 3)
        let alpha = layout.hasAlpha ? part(Double(bytes[5] & 15) / 15, Double(bytes[5] >> 4) / 15, 5, 5) : nil
        let size = layout.size
        let across = Waves(7, over: size.width, offset: 0.5)
        let down = Waves(7, over: size.height, offset: 0.5)
        func value(_ part: Part, _ columns: Int, _ rows: Int, _ x: Int, _ y: Int) -> Double {
            zip(Layout.waves(columns, rows).dropFirst(), part.details).reduce(part.mean) { sum, detail in
                sum + detail.1 * across[detail.0.column, x] * down[detail.0.row, y] * 2
            }
        }
        var pixels = [UInt8]()
        pixels.reserveCapacity(size.bitmapByteCount)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let luminance = value(light, max(layout.columns, 3), max(layout.rows, 3), x, y)
                let (p, q) = (value(yellow, 3, 3, x, y), value(red, 3, 3, x, y))
                let blue = luminance - 2 / 3 * p
                let red = (3 * luminance - blue + q) / 2
                let opacity = alpha.map { value($0, 5, 5, x, y) } ?? 1
                for value in [red, red - q, blue, opacity] { pixels.append(UInt8(min(max(value, 0), 1) * 255)) }
            }
        }
        _ = unsafe pixels.withUnsafeMutableBufferPointer { unsafe Bitmap.premultiply($0) }
        return DecodedImage(size, pixels: pixels, hasAlpha: layout.hasAlpha)
    }

    /// One channel: its mean, and waves of growing frequency.
    private struct Part {
        let mean: Double
        let scale: Double
        let details: [Double]
    }

    /// The shape of the picture, and how many waves each side has.
    private struct Layout {
        let hasAlpha: Bool
        let isLandscape: Bool
        let columns: Int
        let rows: Int

        init(width: Int, height: Int, hasAlpha: Bool) {
            let (most, longer) = (hasAlpha ? 5.0 : 7.0, Double(max(width, height)))
            self.hasAlpha = hasAlpha
            isLandscape = width > height
            columns = max(1, Int((most * Double(width) / longer).rounded()))
            rows = max(1, Int((most * Double(height) / longer).rounded()))
        }

        /// - Parameter bytes: At least five.
        init(_ bytes: [UInt8]) {
            hasAlpha = bytes[2] & 0x80 != 0
            isLandscape = bytes[4] & 0x80 != 0
            let (most, least) = (hasAlpha ? 5 : 7, max(Int(bytes[3] & 7), 1))
            columns = isLandscape ? most : least
            rows = isLandscape ? least : most
        }

        var size: PixelSize {
            let ratio = Double(columns) / Double(rows)
            return ratio > 1
                ? PixelSize(width: 32, height: Int((32 / ratio).rounded()))
                : PixelSize(width: Int((32 * ratio).rounded()), height: 32)
        }

        var byteCount: Int {
            let light = Layout.waves(max(columns, 3), max(rows, 3)).count - 1
            return (hasAlpha ? 6 : 5) + (light + 5 + 5 + (hasAlpha ? 14 : 0) + 1) / 2
        }

        /// The waves of a channel, the constant one first: those below the diagonal.
        static func waves(_ columns: Int, _ rows: Int) -> [(row: Int, column: Int)] {
            (0..<rows).flatMap { row in
                (0..<columns).lazy.filter { $0 * rows < columns * (rows - row) }.map { (row: row, column: $0) }
            }
        }
    }
}
