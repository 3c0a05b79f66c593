// SPDX-License-Identifier: MIT
import CImageShims

/// Changes colours by a matrix: grey, brightness, contrast, saturation.
///
/// Works on sRGB values and keeps alpha.
///
/// - Source: W3C Filter Effects Module Level 1, section 9.
public struct ColorTransformer: ImageTransforming, Hashable {
    /// Names the change and its amount.
    public let key: String
    /// What each channel of the source adds to red, green and blue, and what is added besides, where 1 is white.
    private let matrix: [Float]

    fileprivate init(_ name: String, _ amount: Double, _ matrix: (Float) -> [Float]) {
        // A negative amount and NaN count as zero, so keys do not differ without need.
        let amount = amount > 0 ? amount : 0
        key = "\(name)(\(amount))"
        self.matrix = matrix(Float(amount))
    }

    /// Multiplies each channel, and adds to it.
    fileprivate static func scaling(_ factor: Float, offset: Float = 0) -> [Float] {
        [factor, 0, 0, 0, factor, 0, 0, 0, factor, offset]
    }

    /// Moves colours from their grey by a factor.
    fileprivate static func saturating(_ amount: Float) -> [Float] {
        let weights: [Float] = [0.213, 0.715, 0.072]
        return (0..<9).map { weights[$0 / 3] * (1 - amount) + ($0 / 3 == $0 % 3 ? amount : 0) } + [0]
    }

    /// Changes every frame: the offset is multiplied by alpha, and no colour rises above it.
    ///
    /// - Throws: `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        try image.mapFrames(to: image.size) { [matrix] pixels in
            try unsafe Bitmap.changed(pixels) { unsafe swi_color($0, $1, matrix) }
        }
    }
}

extension ImageTransforming where Self == ColorTransformer {
    /// Makes a picture grey.
    public static var grayscale: ColorTransformer {
        ColorTransformer("grayscale", 1) { ColorTransformer.saturating(1 - $0) }
    }

    /// Multiplies colours: 0 is black, 1 is as it is.
    ///
    /// - Parameter amount: The factor.
    public static func brightness(_ amount: Double) -> ColorTransformer {
        ColorTransformer("brightness", amount) { ColorTransformer.scaling($0) }
    }

    /// Changes the distance of colours from the middle grey: 0 is grey, 1 is as it is.
    ///
    /// - Parameter amount: The factor.
    public static func contrast(_ amount: Double) -> ColorTransformer {
        ColorTransformer("contrast", amount) { ColorTransformer.scaling($0, offset: 0.5 - 0.5 * $0) }
    }

    /// Changes the distance of colours from their grey: 0 is grey, 1 is as it is.
    ///
    /// - Parameter amount: The factor.
    public static func saturation(_ amount: Double) -> ColorTransformer {
        ColorTransformer("saturation", amount) { ColorTransformer.saturating($0) }
    }
}

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
        TintTransformer(color: color, mode: mode)
    }
}
