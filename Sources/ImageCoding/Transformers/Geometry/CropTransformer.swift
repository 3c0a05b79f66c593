// SPDX-License-Identifier: MIT
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
        guard let part = rect.clipped(to: size) else { return PixelSize(width: 0, height: 0) }
        return PixelSize(width: part.width, height: part.height)
    }

    /// Cuts the rectangle out of every frame.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` when no pixel of the picture is in the rectangle;
    ///   `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        guard let part = rect.clipped(to: image.size) else {
            throw ImageError(code: .invalidRequest, message: "Nothing of a picture of \(image.size) is inside \(key).")
        }
        let size = PixelSize(width: part.width, height: part.height)
        if size == image.size { return image }
        let rowByteCount = image.width * 4
        return try image.mapFrames(to: size) { pixels in
            var cropped = [UInt8]()
            cropped.reserveCapacity(size.width * size.height * 4)
            for y in part.y..<part.y + part.height {
                if y % 64 == 0 { try Task.checkCancellation() }
                let start = y * rowByteCount + part.x * 4
                cropped.append(contentsOf: pixels[start..<start + part.width * 4])
            }
            return cropped
        }
    }
}

extension ImageTransforming where Self == CropTransformer {
    /// Cuts out a rectangle in pixels.
    ///
    /// - Parameter rect: The rectangle; parts outside the picture are ignored.
    public static func crop(to rect: PixelRect) -> CropTransformer { CropTransformer(rect) }
}
