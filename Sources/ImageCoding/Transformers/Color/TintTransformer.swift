// SPDX-License-Identifier: MIT
import CImageShims

/// Tints a picture with one colour.
public struct TintTransformer: ImageTransforming, Hashable {
    /// How the colour is mixed with the picture.
    public enum Mode: String, Hashable, Sendable, CaseIterable {
        /// The colour takes the place of every other one, and the picture's alpha stays: for icons of one colour.
        case sourceIn
        /// The colour is multiplied with the picture's, as far as it is opaque.
        case multiply
    }

    /// The colour.
    let color: PixelColor
    /// How it is mixed with the picture.
    let mode: Mode

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - mode: How it is mixed with the picture.
    init(_ color: PixelColor, mode: Mode = .sourceIn) {
        self.color = color
        self.mode = mode
    }

    /// The name, the colour and the mode.
    public var key: String { "tint(\(color),\(mode.rawValue))" }

    /// Tints every frame.
    ///
    /// - Throws: `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        let (color, mode) = (color.premultiplied, mode)
        let hasAlpha = image.hasAlpha || mode == .sourceIn && color[3] < 255
        return try image.mapFrames(to: image.size, hasAlpha: hasAlpha) { pixels in
            try unsafe Bitmap.changed(pixels) { unsafe swi_tint($0, $1, color, mode == .multiply ? 1 : 0) }
        }
    }
}

extension ImageTransforming where Self == TintTransformer {
    /// Tints a picture with one colour.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - mode: How it is mixed with the picture.
    public static func tint(_ color: PixelColor, mode: TintTransformer.Mode = .sourceIn) -> TintTransformer {
        TintTransformer(color, mode: mode)
    }
}
