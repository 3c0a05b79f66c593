// SPDX-License-Identifier: MIT
import CImageShims

/// A still picture to draw on: RGBA, 8 bits a channel, premultiplied by alpha.
///
/// A value: a copy that is drawn on leaves the other as it is. Drawing beyond the edges is cut off.
public struct PremultipliedCanvas: Sendable {
    /// The size in pixels.
    public let size: PixelSize
    /// RGBA, 8 bits a channel, premultiplied; `width * 4` bytes a row, top down.
    public private(set) var pixels: [UInt8]

    /// Creates a canvas of one colour.
    ///
    /// - Parameters:
    ///   - size: The size in pixels, both sides at least 1.
    ///   - color: The colour of every pixel. Transparent by default.
    ///   - limits: The limits of its size.
    /// - Throws: ``ImageError`` with `.malformed` for a side below 1, `.tooLarge` beyond the limits;
    ///   `CancellationError`.
    public init(_ size: PixelSize, color: PixelColor = .clear, limits: ImageLimits = .default) throws {
        try limits.check(size)
        self.size = size
        pixels = try Bitmap.clear(size, DecodingWork(limits: limits, byteCount: 0))
        if color != .clear { fill(PixelRect(x: 0, y: 0, width: size.width, height: size.height), with: color) }
    }

    /// Creates a canvas with the pixels of a picture, of an animation the first frame.
    ///
    /// - Complexity: O(1); the first change copies the pixels.
    public init(_ image: DecodedImage) { self.init(image.size, image.pixels) }

    /// Creates a canvas with the pixels of a frame of this size.
    init(_ size: PixelSize, _ pixels: [UInt8]) { (self.size, self.pixels) = (size, pixels) }

    /// The canvas as a picture.
    ///
    /// - Complexity: O(pixels), to see whether any is transparent; they are not copied.
    public var image: DecodedImage { DecodedImage(size, pixels: pixels, hasAlpha: !Bitmap.isOpaque(pixels)) }
}

extension PremultipliedCanvas {
    /// Replaces the pixels of a rectangle by a colour.
    ///
    /// - Parameters:
    ///   - rect: The rectangle, in pixels.
    ///   - color: The colour. A transparent one clears.
    public mutating func fill(_ rect: PixelRect, with color: PixelColor) {
        guard let part = rect.clipped(to: size) else { return }
        let (rows, pixel) = (part.rows(in: size), color.premultiplied)
        let line = (0..<part.width).flatMap { _ in pixel }
        unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            for row in rows { _ = unsafe pixels[row].update(fromContentsOf: line) }
        }
    }

    /// Replaces the pixels of a rectangle inside the canvas.
    mutating func replace(_ rect: PixelRect, by part: [UInt8]) throws {
        let rows = rect.rows(in: size)
        try unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            for (index, row) in rows.enumerated() {
                if index % 16 == 0 { try Task.checkCancellation() }
                _ = unsafe pixels[row].update(fromContentsOf: part[index * row.count..<(index + 1) * row.count])
            }
        }
    }

    /// Draws a picture, of an animation the first frame.
    ///
    /// **Cancellation**: checked between rows; the canvas is then not usable.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - x: Where its left edge is, in pixels of the canvas; may be negative.
    ///   - y: Where its top edge is, in pixels of the canvas; may be negative.
    ///   - opacity: 0 (invisible) to 1, clamped.
    ///   - blend: How it is mixed with what is below it.
    /// - Throws: `CancellationError`.
    public mutating func draw(
        _ image: DecodedImage, x: Int, y: Int, opacity: Double = 1, blend: BlendMode = .normal
    ) throws {
        let place = PixelRect(x: x, y: y, width: image.width, height: image.height)
        guard opacity > 0, let part = place.clipped(to: size) else { return }
        let (opacity, width) = (Float(min(opacity, 1)), size.width)
        try unsafe image.pixels.withUnsafeBufferPointer { source in
            try unsafe pixels.withUnsafeMutableBufferPointer { bytes in
                // The part is clipped to both pictures, which have pixels.
                guard let above = source.baseAddress, let below = bytes.baseAddress else { return }
                for row in part.y..<part.y + part.height {
                    if (row - part.y) % 16 == 0 { try Task.checkCancellation() }
                    let from = ((row - y) * image.width + part.x - x) * 4
                    let to = (row * width + part.x) * 4
                    unsafe swi_overlay(above + from, below + to, part.width * 4, opacity, blend.number)
                }
            }
        }
    }
}

/// How a picture is mixed with what is below it.
///
/// Where only one of both is opaque, it shows unmixed.
///
/// - Source: W3C Compositing and Blending Level 1, sections 9 and 10.
public enum BlendMode: String, Hashable, Sendable, CaseIterable {
    /// It covers what is below, as far as it is opaque.
    case normal
    /// Colours are multiplied: the result is darker.
    case multiply
    /// The inverses of colours are multiplied: the result is lighter.
    case screen
    /// Dark colours below are multiplied, and light ones screened.
    case overlay
    /// Dark colours above multiply, and light ones screen.
    case hardLight
    /// The darker of both, channel by channel.
    case darken
    /// The lighter of both, channel by channel.
    case lighten
    /// The distance of both, channel by channel.
    case difference
    /// The sum of both, also of their alpha.
    case plus
}

extension BlendMode {
    /// The number of the mode in the shims, which have the modes in the same order.
    var number: Int32 { Int32(BlendMode.allCases.firstIndex(of: self) ?? 0) }
}
