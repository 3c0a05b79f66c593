/// Reads and writes GIF, still and animated, with giflib.
///
/// Frames are composed as in browsers: the screen starts transparent and its background colour is not used, frames are
/// clipped to the screen, and delays below 11 ms count as 100 ms.
public struct GIFCoder: ImageDecoding, ImageEncoding {
    /// Creates a coder.
    public init() {}

    /// Whether the format is GIF.
    public func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .gif }

    /// Whether the format is GIF.
    public func canEncode(_ format: ImageFormat) -> Bool { format == .gif }

    /// Reads the blocks without decompressing anything.
    ///
    /// The number of frames is known when the file is complete.
    public func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        let outline = try GIFCoder.outline(of: bytes, frameLimit: .max, work: work)
        return ImageProperties(
            format: .gif, width: outline.size.width, height: outline.size.height,
            frameCount: outline.isComplete ? outline.frameCount : nil, hasAlpha: outline.hasAlpha)
    }
}
