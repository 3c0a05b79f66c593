/// Turns pixels into files.
///
/// Conform to it for a format of your own and put it in front of ``ImageCoders/encoders``.
public protocol ImageEncoding: Sendable {
    /// Whether this encoder writes a format.
    ///
    /// - Parameter format: The format asked for.
    func canEncode(_ format: ImageFormat) -> Bool

    /// Encodes a picture. An animation becomes its first frame where the format has no animation.
    ///
    /// Blocks its thread for the whole work; run it where that is allowed.
    ///
    /// **Cancellation**: Asks the current task between rows or frames and throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its knobs.
    /// - Throws: ``ImageError``: `.tooLarge` when the format cannot hold the size; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8]

    /// Tells how much memory ``encode(_:as:)`` takes at its peak, beyond the picture itself.
    ///
    /// An upper estimate: copies of the pixels, working memory of the library, and the file, which is taken to compress
    /// badly. Without an implementation of its own an encoder is taken to need twice the pixels of all frames.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its knobs.
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
