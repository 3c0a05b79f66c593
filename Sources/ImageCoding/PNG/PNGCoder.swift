/// Reads and writes PNG with libpng.
///
/// Reads every colour type, 1 to 16 bits, interlaced or not; 16 bits become 8 by dropping the low byte, as browsers do.
/// In an animated PNG the default picture is read. Colour profiles and gamma are not applied.
public struct PNGCoder: ImageDecoding, ImageEncoding {
    /// Creates a coder.
    public init() {}

    /// Whether the format is PNG.
    public func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .png }

    /// Whether the format is PNG.
    public func canEncode(_ format: ImageFormat) -> Bool { format == .png }

    /// Reads the chunks without inflating anything.
    public func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try PNGCoder.header(of: bytes, options)
        let shown = header.size.turned(header.orientation)
        return ImageProperties(
            format: .png, width: shown.width, height: shown.height, frameCount: 1, orientation: header.orientation,
            hasAlpha: header.hasAlpha)
    }
}
