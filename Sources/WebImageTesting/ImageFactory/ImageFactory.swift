// SPDX-License-Identifier: MIT
import CPictureShims
public import ImageCoding

/// Makes pictures for tests: the same arguments always give the same pixels, on every machine.
///
/// They show discs and stripes over slow changes of colour: edges, texture and shades, as encoders and transformers
/// need them. Each picture carries its seed where no viewer sees it, so that a test can identify it even after JPEG or
/// a resize.
public enum ImageFactory {
    /// The seeds a picture can carry.
    public static let seeds = 0...65_535

    /// Draws the picture that the seed chooses.
    ///
    /// - Parameters:
    ///   - width: Width in pixels; from 32 on the seed survives every encoder, from 16 on every lossless one.
    ///   - height: Height in pixels; as for `width`.
    ///   - seed: Chooses colours, stripes and discs; within ``seeds``.
    ///   - hasAlpha: Whether the bottom right quarter fades to transparent.
    /// - Complexity: O(`width * height`), 0.05 µs a pixel in a release build; one bitmap of memory.
    public static func picture(width: Int, height: Int, seed: Int, hasAlpha: Bool = false) -> DecodedImage {
        plain(width, height, frames: nil, seed: seed, hasAlpha: hasAlpha)
    }

    /// Draws an animation that repeats forever: the discs and stripes move in the picture that
    /// ``picture(width:height:seed:hasAlpha:)`` draws, the last frame leads back to the first, and
    /// frame `n` lasts `50 + 10 * n` milliseconds.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: How many frames, at least one. Each carries the seed.
    ///   - seed: Chooses the picture; within ``seeds``.
    ///   - hasAlpha: Whether the bottom right quarter fades to transparent.
    public static func animation(
        width: Int, height: Int, frames: Int, seed: Int, hasAlpha: Bool = false
    ) -> DecodedImage {
        plain(width, height, frames: frames, seed: seed, hasAlpha: hasAlpha)
    }

    /// Draws a picture and encodes it.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - seed: Chooses the picture; within ``seeds``.
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
    ///   - seed: Chooses the picture; within ``seeds``.
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

    /// Makes frames of what `paint` draws, each with the fade of a picture with alpha and with the seed.
    ///
    /// - Parameters:
    ///   - frames: How many frames of an animation; `nil` for a picture that stands still.
    ///   - paint: Draws opaque pixels. Phase 0 is the still picture, and at 1 the animation begins again.
    package static func drawn(
        _ width: Int, _ height: Int, frames: Int?, seed: Int, hasAlpha: Bool,
        _ paint: (_ phase: Float, _ pixels: inout [UInt8]) -> Void
    ) -> DecodedImage {
        precondition(width > 0 && height > 0 && frames ?? 1 > 0, "A picture needs a frame and a pixel.")
        precondition(seeds.contains(seed), "A picture carries seeds from 0 to 65535.")
        let drawn = (0..<(frames ?? 1)).map { index in
            var pixels = [UInt8](repeating: 255, count: width * height * 4)
            paint(Float(index) / Float(frames ?? 1), &pixels)
            if hasAlpha { fade(width, height, &pixels) }
            SeedMark(width: width, height: height)?.write(seed, into: &pixels)
            return DecodedImage.Frame(
                pixels: pixels, duration: frames == nil ? .zero : .milliseconds(50 + 10 * index))
        }
        do {
            return try DecodedImage(width: width, height: height, frames: drawn, hasAlpha: hasAlpha)
        } catch {
            preconditionFailure("A picture needs a frame and a pixel: \(error)")
        }
    }

    private static func plain(
        _ width: Int, _ height: Int, frames: Int?, seed: Int, hasAlpha: Bool
    ) -> DecodedImage {
        drawn(width, height, frames: frames, seed: seed, hasAlpha: hasAlpha) { phase, pixels in
            unsafe swi_plain(&pixels, Int32(width), Int32(height), UInt32(seed), phase)
        }
    }

    /// The bottom right quarter, from opaque to transparent.
    private static func fade(_ width: Int, _ height: Int, _ pixels: inout [UInt8]) {
        for y in height / 2..<height {
            for x in width / 2..<width {
                let alpha = 255 - (x - width / 2) * 255 / max(1, width - width / 2 - 1)
                let offset = (y * width + x) * 4
                for part in offset..<offset + 3 { pixels[part] = UInt8((Int(pixels[part]) * alpha + 127) / 255) }
                pixels[offset + 3] = UInt8(alpha)
            }
        }
    }
}
