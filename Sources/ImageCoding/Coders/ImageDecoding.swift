/// Turns files into pixels.
///
/// Conform to it for a format of your own and put it in front of ``ImageCoders/decoders``.
///
/// The bytes come from strangers: check before allocating, honour ``DecodeOptions/limits``, throw and never trap.
public protocol ImageDecoding: Sendable {
    /// Whether this decoder is the one for a file.
    ///
    /// Called for every file until a decoder says yes, so it looks at the first bytes only.
    ///
    /// - Parameters:
    ///   - bytes: The file, or its beginning.
    ///   - format: What the signature in the bytes or, without one, the declared type says; `nil` when neither does.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool

    /// Reads what the header tells, without decoding.
    ///
    /// - Parameters:
    ///   - bytes: The file, or as much of its beginning as there is.
    ///   - options: Limits for the metadata; the picture's size is told, not judged.
    /// - Throws: ``ImageError``: `.truncated` when the header is not complete, `.malformed`.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties

    /// Decodes a file.
    ///
    /// Blocks its thread for the whole work; run it where that is allowed.
    ///
    /// **Cancellation**: Asks the current task between rows and frames and throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: Limits, frames and size wanted.
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage
}
