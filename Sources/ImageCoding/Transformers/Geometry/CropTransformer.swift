// SPDX-License-Identifier: MIT
import CImageShims

/// Cuts a rectangle out of a picture.
public struct CropTransformer: ImageTransforming, Hashable {
    /// The rectangle, in pixels of the picture.
    package let rect: PixelRect

    /// Creates a transformer.
    ///
    /// - Parameter rect: The rectangle, in pixels of the picture. Parts outside the picture are ignored.
    public init(_ rect: PixelRect) {
        self.rect = rect
    }

    /// The name and the rectangle.
    public var key: String { "crop(\(rect.x),\(rect.y),\(rect.width),\(rect.height))" }

    /// The size of the part of the rectangle that is inside a picture of this size.
    public func resultSize(for size: PixelSize) -> PixelSize {
        rect.clipped(to: size)?.size ?? PixelSize(width: 0, height: 0)
    }

    /// Cuts the rectangle out of every frame.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` when no pixel of the picture is in the rectangle;
    ///   `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        guard let part = rect.clipped(to: image.size) else {
            throw ImageError(code: .invalidRequest, message: "Nothing of a picture of \(image.size) is inside \(key).")
        }
        let size = image.size
        if part.size == size { return image }
        return try image.mapFrames(to: part.size) { try Bitmap.cut(part, from: $0, size) }
    }
}

extension ImageTransforming where Self == CropTransformer {
    /// Cuts out a rectangle in pixels.
    ///
    /// - Parameter rect: The rectangle; parts outside the picture are ignored.
    public static func crop(to rect: PixelRect) -> CropTransformer { CropTransformer(rect) }
}

/// Cuts off edges of one colour: that of the top left pixel.
///
/// An animation keeps what any of its frames needs. A picture of one colour stays as it is.
public struct TrimTransformer: ImageTransforming, Hashable {
    /// How much a channel may differ from the colour of the edge, 0 to 255.
    let tolerance: Int

    /// Creates a transformer.
    ///
    /// - Parameter tolerance: How much a channel may differ from the colour of the edge; clamped to 0 to 255.
    init(tolerance: Int = 10) {
        self.tolerance = min(max(tolerance, 0), 255)
    }

    /// The name and the tolerance.
    public var key: String { "trim(\(tolerance))" }

    /// Finds the edges and cuts them off.
    ///
    /// - Throws: What ``DecodedImage/frame(at:)`` throws; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        var kept: PixelRect?
        try image.forEachFrame { _, frame in
            guard let part = try part(of: frame.pixels, image.size) else { return }
            kept = kept.map { $0.union(part) } ?? part
        }
        return try kept.map { try CropTransformer($0).transform(image) } ?? image
    }

    /// The smallest rectangle around all pixels of another colour; `nil` when there is none.
    private func part(of pixels: [UInt8], _ size: PixelSize) throws -> PixelRect? {
        let (edge, width) = (Array(pixels.prefix(4)), size.width)
        var (left, right, top, bottom) = (width, -1, size.height, -1)
        try unsafe pixels.withUnsafeBufferPointer { bytes in
            guard let first = bytes.baseAddress else { return }
            for y in 0..<size.height {
                if y % 16 == 0 { try Task.checkCancellation() }
                let row = unsafe first + y * width * 4
                let before = unsafe swi_first_other(row, width * 4, edge, UInt8(tolerance), 0)
                if before == width { continue }
                let after = unsafe swi_first_other(row, width * 4, edge, UInt8(tolerance), 1)
                (left, right, top, bottom) = (min(left, before), max(right, width - 1 - after), min(top, y), y)
            }
        }
        guard bottom >= 0 else { return nil }
        return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }
}

extension PixelRect {
    /// The smallest rectangle around both, which lie in one picture.
    fileprivate func union(_ other: PixelRect) -> PixelRect {
        let (left, top) = (min(x, other.x), min(y, other.y))
        return PixelRect(
            x: left, y: top, width: max(x + width, other.x + other.width) - left,
            height: max(y + height, other.y + other.height) - top)
    }
}

extension ImageTransforming where Self == TrimTransformer {
    /// Cuts off edges of the colour of the top left pixel.
    ///
    /// - Parameter tolerance: How much a channel may differ from it, 0 to 255.
    public static func trim(tolerance: Int = 10) -> TrimTransformer { TrimTransformer(tolerance: tolerance) }
}
