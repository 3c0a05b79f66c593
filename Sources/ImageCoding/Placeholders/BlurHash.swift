// SPDX-License-Identifier: MIT
import CImageShims

/// A picture as a short text that is drawn as a blur: 28 characters with four columns and three rows.
///
/// A server sends it with an address, and a client shows it until the picture is there.
///
/// - Source: woltapp/blurhash, Algorithm.md.
public struct BlurHash: Hashable, Sendable, CustomStringConvertible {
    /// The text: digits of base 83, which need no escaping in JSON.
    public let text: String

    /// The text.
    public var description: String { text }

    /// Creates a hash of the first frame, laid over white.
    ///
    /// A picture beyond 64 pixels a side is made smaller first.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - columns: Waves from left to right, 1 to 9, clamped. 4 by default.
    ///   - rows: Waves from top to bottom, 1 to 9, clamped. 3 by default.
    /// - Throws: ``ImageError``; `CancellationError`.
    /// - Complexity: O(pixels), and O(`columns * rows`) for up to 4,096 pixels.
    public init(of image: DecodedImage, columns: Int = 4, rows: Int = 3) throws {
        let (columns, rows) = (min(max(columns, 1), 9), min(max(rows, 1), 9))
        let small = try image.shrunk(to: 64)
        let pixels = try Bitmap.flattened(small.pixels, on: .white)
        let light = pixels.map { BlurHash.linear(Int($0)) }
        let across = Waves(columns, over: small.width, offset: 0)
        let down = Waves(rows, over: small.height, offset: 0)
        var parts = [Channels]()
        for row in 0..<rows {
            for column in 0..<columns {
                try Task.checkCancellation()
                var sum = Channels()
                for y in 0..<small.height {
                    for x in 0..<small.width {
                        let wave = across[column, x] * down[row, y]
                        let at = (y * small.width + x) * 4
                        sum += Channels(light[at], light[at + 1], light[at + 2], 0) * wave
                    }
                }
                let weight: Double = row + column == 0 ? 1 : 2
                parts.append(sum * (weight / Double(small.size.pixelCount)))
            }
        }
        let details = parts.dropFirst()
        let largest = details.map { max(abs($0.x), abs($0.y), abs($0.z)) }.max()
        let scale = largest.map { min(max(Int(($0 * 166 - 0.5).rounded(.down)), 0), 82) } ?? 0
        let most = largest == nil ? 1 : Double(scale + 1) / 166
        var text = Base83.text(columns - 1 + (rows - 1) * 9, 1) + Base83.text(scale, 1)
        let mean = parts[0]
        text += Base83.text(
            BlurHash.stored(mean.x) << 16 | BlurHash.stored(mean.y) << 8 | BlurHash.stored(mean.z), 4)
        for part in details {
            func level(_ value: Double) -> Int {
                let root = (abs(value) / most).squareRoot()
                return min(max(Int(((value < 0 ? -root : root) * 9 + 9.5).rounded(.down)), 0), 18)
            }
            text += Base83.text((level(part.x) * 19 + level(part.y)) * 19 + level(part.z), 2)
        }
        self.text = text
    }

    /// Creates a hash from its text.
    ///
    /// - Returns: `nil` unless it has the length that its first character announces, and no other characters.
    public init?(_ text: String) {
        let digits = Array(text.utf8)
        guard digits.count >= 6, let size = Base83.number(digits[0..<1]), size < 81,
            digits.count == 4 + 2 * (size % 9 + 1) * (size / 9 + 1),
            Base83.number(digits[2..<6]).map({ $0 < 1 << 24 }) == true,
            stride(from: 6, to: digits.count, by: 2).allSatisfy({
                Base83.number(digits[$0..<$0 + 2]).map { $0 < 19 * 19 * 19 } == true
            }), Base83.number(digits[1..<2]) != nil
        else { return nil }
        self.text = text
    }

    /// Draws the blur.
    ///
    /// Draw it small, 32 pixels a side, and let the client enlarge it.
    ///
    /// - Parameter size: The size of the result, up to a megapixel.
    /// - Throws: ``ImageError`` with `.invalidRequest` without area or beyond a megapixel; `CancellationError`.
    /// - Complexity: O(`width * height`), times the number of waves.
    public func image(size: PixelSize) throws -> DecodedImage {
        guard size.width > 0, size.height > 0, size.pixelCount <= 1 << 20 else {
            throw ImageError(code: .invalidRequest, message: "A blur has 1 to 1048576 pixels, not \(size).")
        }
        let digits = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int { Base83.number(digits[range]) ?? 0 }
        let (columns, rows) = (number(0..<1) % 9 + 1, number(0..<1) / 9 + 1)
        let most = Double(number(1..<2) + 1) / 166
        let mean = number(2..<6)
        var parts = [
            Channels(BlurHash.linear(mean >> 16), BlurHash.linear(mean >> 8 & 255), BlurHash.linear(mean & 255), 0)
        ]
        for index in 1..<columns * rows {
            let value = number(4 + index * 2..<6 + index * 2)
            func level(_ value: Int) -> Double {
                let root = Double(value - 9) / 9
                return root * abs(root) * most
            }
            parts.append(Channels(level(value / 361), level(value / 19 % 19), level(value % 19), 0))
        }
        let across = Waves(columns, over: size.width, offset: 0)
        let down = Waves(rows, over: size.height, offset: 0)
        var pixels = [UInt8]()
        pixels.reserveCapacity(size.bitmapByteCount)
        for y in 0..<size.height {
            if y % 16 == 0 { try Task.checkCancellation() }
            for x in 0..<size.width {
                var sum = Channels()
                for row in 0..<rows {
                    for column in 0..<columns {
                        sum += parts[row * columns + column] * (across[column, x] * down[row, y])
                    }
                }
                for value in [sum.x, sum.y, sum.z] { pixels.append(UInt8(BlurHash.stored(value))) }
                pixels.append(255)
            }
        }
        return DecodedImage(size, pixels: pixels, hasAlpha: false)
    }

    /// The light of an sRGB sample of eight bits.
    private static func linear(_ sample: Int) -> Double { LinearLight.light(Double(sample) / 255) }

    /// The sample of a light.
    private static func stored(_ light: Double) -> Int { Int(LinearLight.value(min(max(light, 0), 1)) * 255 + 0.5) }
}

/// Numbers in base 83.
private enum Base83 {
    private static let digits = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    static func text(_ value: Int, _ length: Int) -> String {
        var left = value
        var text = [UInt8]()
        for _ in 0..<length {
            text.append(digits[left % 83])
            left /= 83
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }

    /// - Returns: `nil` with another character.
    static func number(_ text: ArraySlice<UInt8>) -> Int? {
        var value = 0
        for character in text {
            guard let digit = digits.firstIndex(of: character) else { return nil }
            value = value * 83 + digit
        }
        return value
    }
}

/// Three channels and alpha.
typealias Channels = SIMD4<Double>

/// The values of cosine waves over the pixels of a side.
struct Waves {
    private let values: [Double]
    private let length: Int

    /// - Parameters:
    ///   - count: The number of waves; the first one is constant.
    ///   - length: The pixels of the side.
    ///   - offset: Where in a pixel the wave is taken: 0 at its start, 0.5 in its middle.
    init(_ count: Int, over length: Int, offset: Double) {
        self.length = length
        values = (0..<count).flatMap { wave in
            (0..<length).map { cos(Double.pi * Double(wave) * (Double($0) + offset) / Double(length)) }
        }
    }

    subscript(_ wave: Int, _ position: Int) -> Double { values[wave * length + position] }
}

extension DecodedImage {
    /// The first frame, fitted into a square unless it is within it already.
    func shrunk(to side: Int) throws -> DecodedImage {
        guard width > side || height > side else { return self }
        return try ResizeTransformer(size: PixelSize(width: side, height: side)).transform(firstFrame)
    }
}
