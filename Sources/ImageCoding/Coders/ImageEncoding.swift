/// Turns pixels into files.
///
/// Conform to it to support another format, and insert the encoder at the front of ``ImageCoders/encoders``.
public protocol ImageEncoding: Sendable {
    /// Whether this encoder writes a format.
    ///
    /// - Parameter format: The requested format.
    func canEncode(_ format: ImageFormat) -> Bool

    /// Encodes a picture. In a format without animation, an animation becomes its first frame.
    ///
    /// Blocks its thread for the whole work; run it on a thread that may block.
    ///
    /// **Cancellation**: checked between rows or frames; throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its options.
    /// - Throws: ``ImageError``: `.tooLarge` when the format cannot hold the size; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8]

    /// The peak memory of ``encode(_:as:)``, in addition to the picture.
    ///
    /// An upper estimate: copies of the pixels, working memory of the library, and a file that compresses badly. The
    /// default implementation returns twice the pixels of all frames.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its options.
    /// - Returns: Bytes; `.max` when the number does not fit.
    /// - Complexity: O(1).
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int
}

extension ImageEncoding {
    /// Twice the pixels of all frames.
    public func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let frames = format.options.firstFrameOnly ? 1 : image.frames.count
        return image.size.bitmapByteCount.saturatingMultiply(frames).saturatingMultiply(2)
    }
}
