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
    public let color: PixelColor
    /// How it is mixed with the picture.
    public let mode: Mode

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - color: The colour.
    ///   - mode: How it is mixed with the picture.
    public init(_ color: PixelColor, mode: Mode = .sourceIn) {
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
        // What remains of the picture below a colour that is not opaque.
        let rest = 255 - color[3]
        let hasAlpha = image.hasAlpha || mode == .sourceIn && rest > 0
        return try image.mapFrames(to: image.size, hasAlpha: hasAlpha) { pixels in
            var result = pixels
            for start in stride(from: 0, to: result.count, by: 1 << 18) {
                try Task.checkCancellation()
                var bytes = result.mutableSpan
                for at in stride(from: start, to: min(start + 1 << 18, bytes.count), by: 4) {
                    let alpha = bytes[at + 3]
                    switch mode {
                    case .sourceIn:
                        for channel in 0..<4 { bytes[at + channel] = Bitmap.multiply(color[channel], alpha) }
                    case .multiply:
                        for channel in 0..<3 {
                            let value = bytes[at + channel]
                            let sum =
                                UInt16(Bitmap.multiply(value, color[channel])) + UInt16(Bitmap.multiply(value, rest))
                            bytes[at + channel] = UInt8(min(sum, UInt16(alpha)))
                        }
                    }
                }
            }
            return result
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
