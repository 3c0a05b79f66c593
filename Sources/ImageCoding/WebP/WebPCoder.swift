/// Reads and writes WebP, still and animated, with libwebp.
///
/// An animation's background colour is not used: its canvas starts transparent, as in browsers. Delays below 11 ms
/// count as 100 ms. Embedded colour profiles are not applied.
public struct WebPCoder: ImageDecoding, ImageEncoding {
    /// Creates a coder.
    public init() {}

    /// Whether the format is WebP.
    public func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .webp }

    /// Whether the format is WebP.
    public func canEncode(_ format: ImageFormat) -> Bool { format == .webp }

    /// Reads the chunks without decoding anything.
    ///
    /// The number of frames and the orientation are known when the file is complete.
    public func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let outline = try WebPCoder.outline(of: bytes, options)
        let shown = outline.size.turned(outline.orientation)
        return ImageProperties(
            format: .webp, width: shown.width, height: shown.height,
            frameCount: outline.isAnimated && !outline.isComplete ? nil : outline.frameCount,
            orientation: outline.orientation, hasAlpha: outline.hasAlpha)
    }
}
