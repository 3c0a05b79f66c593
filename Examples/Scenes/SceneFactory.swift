// SPDX-License-Identifier: MIT
import CSceneShims
public import ImageCoding
import WebImageTesting

/// Draws what the examples show: lakes, fields of flowers, planets, hills, fractals, the sea, forests, figures, dunes
/// and cities.
///
/// A scene looks the same at every size, only finer. Each picture carries its seed, which
/// `ImageFactory.seed(of:)` reads back.
public enum SceneFactory {
    /// Draws a picture of the scene that the seed chooses, or an animation in which something moves.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: How many frames, at least one; frame `n` lasts `50 + 10 * n` milliseconds.
    ///   - seed: Chooses the scene, its hour, colours and shapes, from 0 to 65,535. Neighbours show scenes of two
    ///     kinds.
    ///   - hasAlpha: Whether the bottom right quarter fades to transparent.
    /// - Complexity: O(`width * height * frames`), 0.05 µs a pixel in a release build.
    public static func picture(
        width: Int, height: Int, frames: Int = 1, seed: Int, hasAlpha: Bool = false
    ) -> DecodedImage {
        let frames = frames == 1 ? nil : frames
        return ImageFactory.drawn(width, height, frames: frames, seed: seed, hasAlpha: hasAlpha) { phase, pixels in
            let view = View(width: width, height: height, phase: phase)
            let scene = SceneKind(seed).scene(view, seed)
            let line = Line(view)
            for y in 0..<height {
                line.y = (Float(y) + 0.5) / Float(height)
                scene.paint(line)
                // In so few pixels nothing that moves is seen; the picture grows lighter instead.
                if min(width, height) < 16 { line.blend(.white, 0.4 * phase) }
                unsafe swi_line_write(line.row, Int32(y), &pixels)
            }
        }
    }

    /// What the scene of a seed shows, in one word, such as `lake`.
    public static func name(seed: Int) -> String { "\(SceneKind(seed))" }

    /// Draws a picture or an animation and encodes it.
    ///
    /// - Parameters:
    ///   - width: Width in pixels.
    ///   - height: Height in pixels.
    ///   - frames: How many frames, at least one; a format without animation gets the first.
    ///   - seed: Chooses the scene, from 0 to 65,535.
    ///   - format: How to encode it.
    /// - Throws: `ImageError` when the format cannot hold the size.
    public static func encoded(
        width: Int, height: Int, frames: Int = 1, seed: Int, as format: EncodedFormat = .jpeg()
    ) throws -> [UInt8] {
        try ImageCoders.default.encode(picture(width: width, height: height, frames: frames, seed: seed), as: format)
    }
}
