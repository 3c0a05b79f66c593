// SPDX-License-Identifier: MIT
public import ImageCoding

/// Makes pictures for tests and examples: the same arguments always give the same pixels.
///
/// They are scenes: lakes, fields of flowers, planets, hills, fractals, the sea, forests, figures, dunes and cities.
/// Each picture carries its seed where no viewer sees it, so that a test can identify it even after JPEG or a resize.
///
/// A scene looks the same at every size, only finer. Its pixels come from operations that give the same bits on every
/// machine.
public enum ImageFactory {
    /// The seeds a picture can carry.
    public static let seeds = 0...65_535

    /// Draws a picture of the scene that the seed chooses.
    ///
    /// - Parameters:
    ///   - width: Width in pixels; from 32 on the seed survives every encoder, from 16 on every lossless one.
    ///   - height: Height in pixels; as for `width`.
    ///   - seed: Chooses the scene, its hour, colours and shapes; within ``seeds``. Neighbours show scenes of two
    ///     kinds.
    ///   - hasAlpha: Whether the bottom right quarter fades to transparent.
    /// - Complexity: O(`width * height`), 0.05 µs a pixel in a release build; one bitmap of memory.
    public static func picture(width: Int, height: Int, seed: Int, hasAlpha: Bool = false) -> DecodedImage {
        let canvas = Canvas(width: width, height: height, seed: seed, hasAlpha: hasAlpha)
        return made(width, height, [DecodedImage.Frame(pixels: canvas.pixels())], hasAlpha: hasAlpha)
    }

    /// Draws an animation that repeats forever: something moves in the picture that
    /// ``picture(width:height:seed:hasAlpha:)`` draws (waves, snow, a balloon, a moon), the last frame leads back to
    /// the first, and frame `n` lasts `50 + 10 * n` milliseconds.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: How many frames, at least one. Each carries the seed.
    ///   - seed: Chooses the scene; within ``seeds``.
    ///   - hasAlpha: Whether the bottom right quarter fades to transparent.
    public static func animation(
        width: Int, height: Int, frames: Int, seed: Int, hasAlpha: Bool = false
    ) -> DecodedImage {
        let canvas = Canvas(width: width, height: height, seed: seed, hasAlpha: hasAlpha)
        let drawn = (0..<frames).map { index in
            DecodedImage.Frame(
                pixels: canvas.pixels(at: Float(index) / Float(frames)), duration: .milliseconds(50 + 10 * index))
        }
        return made(width, height, drawn, hasAlpha: hasAlpha)
    }

    /// Draws a picture and encodes it.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - seed: Chooses the scene; within ``seeds``.
    ///   - format: How to encode it.
    /// - Throws: `ImageError` when the format cannot hold the size.
    public static func encoded(
        width: Int, height: Int, seed: Int, as format: EncodedFormat = .jpeg()
    ) throws -> [UInt8] {
        try ImageCoders.default.encode(picture(width: width, height: height, seed: seed), as: format)
    }

    /// Draws an animation and encodes it.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: How many frames, at least one.
    ///   - seed: Chooses the scene; within ``seeds``.
    ///   - format: How to encode it; a format without animation gets the first frame.
    /// - Throws: `ImageError` when the format cannot hold the size.
    public static func encodedAnimation(
        width: Int, height: Int, frames: Int, seed: Int, as format: EncodedFormat
    ) throws -> [UInt8] {
        let image = animation(width: width, height: height, frames: frames, seed: seed)
        return try ImageCoders.default.encode(image, as: format)
    }

    /// Reads the seed back from a picture's first frame, also after lossy coding and after a resize of the whole
    /// picture.
    ///
    /// - Parameter image: A picture that this factory drew, not cropped, of at least 16 by 16 pixels.
    /// - Returns: `nil` when the picture carries no seed; by chance one of 4096 other pictures seems to.
    /// - Complexity: O(`width * height`), and for large pictures less, because it looks at every few pixels.
    public static func seed(of image: DecodedImage) -> Int? {
        SeedMark(width: image.width, height: image.height)?.seed(in: Array(image.pixels))
    }

    private static func made(
        _ width: Int, _ height: Int, _ frames: [DecodedImage.Frame], hasAlpha: Bool
    ) -> DecodedImage {
        do {
            return try DecodedImage(width: width, height: height, frames: frames, hasAlpha: hasAlpha)
        } catch {
            preconditionFailure("A picture needs a frame and a pixel: \(error)")
        }
    }
}
