/// Reads and writes JPEG with libjpeg-turbo.
///
/// Reads baseline, extended and progressive files of 8 bits a sample: grey, YCbCr, RGB, and CMYK or YCCK, which are
/// read as inverted, as Adobe writes them and browsers read them. Embedded colour profiles are not applied.
public struct JPEGCoder: ImageDecoding, ImageEncoding {
    /// Creates a coder.
    public init() {}

    /// Whether the format is JPEG.
    public func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .jpeg }

    /// Whether the format is JPEG.
    public func canEncode(_ format: ImageFormat) -> Bool { format == .jpeg }

    /// Reads the markers before the first scan.
    public func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try JPEGCoder.header(of: bytes, options)
        let shown = header.size.turned(header.orientation)
        return ImageProperties(
            format: .jpeg, width: shown.width, height: shown.height, frameCount: 1, orientation: header.orientation,
            hasAlpha: false)
    }
}
