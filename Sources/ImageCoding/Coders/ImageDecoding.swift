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

    /// Tells how much memory ``decode(_:options:)`` takes at its peak, beyond the file itself.
    ///
    /// An upper estimate from the header alone, without allocating: pixels of the result, working memory of the library,
    /// copies made for turning and shrinking. Without an implementation of its own a decoder is taken to need twice the
    /// pixels of all frames that ``properties(of:options:)`` tells.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: Frames and size wanted. The limits for metadata are used, the picture's size is told, not judged.
    /// - Returns: Bytes; `.max` when the number does not fit.
    /// - Throws: What ``properties(of:options:)`` throws.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int

    /// Decodes a file.
    ///
    /// Blocks its thread for the whole work; run it where that is allowed.
    ///
    /// **Cancellation**: Asks the current task between rows and frames and throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: Limits, frames and size wanted. ``ImageLimits/maximumByteCount`` is checked before anything large is
    ///     allocated.
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage
}

extension ImageDecoding {
    /// Twice the pixels of all frames wanted.
    public func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let properties = try properties(of: bytes, options: options)
        let frames = options.firstFrameOnly ? 1 : max(properties.frameCount ?? 1, 1)
        return properties.size.bitmapByteCount.saturatingMultiply(frames).saturatingMultiply(2)
    }
}
