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
}
