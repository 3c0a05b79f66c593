/// The coders in use, in order: the first that says it can decides, and nobody is asked after it.
///
/// A value: a service gets the coders it is given, and nothing can be registered behind its back.
///
/// ```swift
/// var coders = ImageCoders.default
/// coders.decoders.insert(MyDecoder(), at: 0)
/// let image = try coders.decode(bytes)
/// ```
public struct ImageCoders: Sendable {
    /// Asked in order for every file.
    public var decoders: [any ImageDecoding]
    /// Asked in order for every format to write.
    public var encoders: [any ImageEncoding]

    /// Makes a list of coders.
    ///
    /// - Parameters:
    ///   - decoders: Asked in order for every file.
    ///   - encoders: Asked in order for every format to write.
    public init(decoders: [any ImageDecoding], encoders: [any ImageEncoding]) {
        self.decoders = decoders
        self.encoders = encoders
    }

    /// Reads what a file's header tells, without decoding.
    ///
    /// - Parameters:
    ///   - bytes: The file, or as much of its beginning as there is.
    ///   - options: Limits for the metadata and the declared format. The picture's size is told, not judged.
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unknownFormat`, `.unsupportedFormat`.
    public func properties(
        of bytes: [UInt8], options: DecodeOptions = DecodeOptions()
    ) throws -> ImageProperties {
        try decoder(for: bytes, options: options).properties(of: bytes, options: options)
    }

    /// Refuses a file that no decoder takes, from its beginning.
    ///
    /// For a download that need not be finished. A file that passes may still be refused by
    /// ``decode(_:options:)``; a file that decodes always passes.
    ///
    /// - Parameters:
    ///   - beginning: The first bytes of the file, at best ``ImageFormat/signatureLength`` or more. Fewer are refused only
    ///     when their format is already clear.
    ///   - options: Its declared format counts where there is no signature.
    /// - Throws: ``ImageError`` as ``decode(_:options:)`` would: `.unknownFormat` or `.unsupportedFormat`.
    /// - Complexity: O(number of decoders); for text that may become an SVG, O(`beginning.count`).
    public func checkSignature(_ beginning: [UInt8], options: DecodeOptions = DecodeOptions()) throws(ImageError) {
        if ImageFormat(sniffing: beginning) == nil {
            if beginning.count < ImageFormat.signatureLength { return }
            // The root element comes after comments of any length, and a decoder for it may be among ours.
            if ImageFormat.mayBecomeSVG(beginning), decoders.contains(where: { $0.canDecode(beginning, format: .svg) })
            {
                return
            }
        }
        _ = try decoder(for: beginning, options: options)
    }

    /// Tells how much memory ``decode(_:options:)`` takes at its peak, beyond the file itself.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: Frames and size wanted, and the declared format.
    /// - Returns: Bytes, an upper estimate from the header; `.max` when the number does not fit.
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unknownFormat`, `.unsupportedFormat`, `.invalidRequest` for
    ///   a thumbnail without area; `CancellationError`.
    public func decodingByteCount(of bytes: [UInt8], options: DecodeOptions = DecodeOptions()) throws -> Int {
        try options.check()
        return try decoder(for: bytes, options: options).decodingByteCount(of: bytes, options: options)
    }

    /// Decodes a file.
    ///
    /// Blocks its thread for the whole work; run it where that is allowed.
    ///
    /// **Cancellation**: Asks the current task between rows and frames and throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - bytes: The whole file. Any prefix of it is refused.
    ///   - options: Limits, frames and size wanted.
    /// - Throws: ``ImageError`` with any code but `.invalidRequest`, which is for a thumbnail without area;
    ///   `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try options.check()
        try Task.checkCancellation()
        return try decoder(for: bytes, options: options).decode(bytes, options: options)
    }

    /// Encodes a picture.
    ///
    /// Blocks its thread for the whole work; run it where that is allowed.
    ///
    /// **Cancellation**: Asks the current task between rows or frames and throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - image: The picture. An animation becomes its first frame where the format has no animation.
    ///   - format: The format and its knobs.
    /// - Throws: ``ImageError``: `.unsupportedFormat` when no encoder writes it, `.tooLarge` when it cannot hold the size;
    ///   `CancellationError`.
    public func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard let encoder = encoders.first(where: { $0.canEncode(format.format) }) else {
            throw ImageError(.unsupportedFormat, "No encoder here writes \(format.format).")
        }
        try Task.checkCancellation()
        return try encoder.encode(image, as: format)
    }

    /// Tells how much memory ``encode(_:as:)`` takes at its peak, beyond the picture itself.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its knobs.
    /// - Returns: Bytes, an upper estimate; 0 when no encoder writes the format; `.max` when the number does not fit.
    /// - Complexity: O(number of encoders).
    public func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        encoders.first { $0.canEncode(format.format) }?.encodingByteCount(of: image, as: format) ?? 0
    }

    private func decoder(for bytes: [UInt8], options: DecodeOptions) throws(ImageError) -> any ImageDecoding {
        let format = ImageFormat(sniffing: bytes) ?? options.declaredFormat
        if let decoder = decoders.first(where: { $0.canDecode(bytes, format: format) }) { return decoder }
        guard let format else {
            throw ImageError(.unknownFormat, "The \(bytes.count) bytes match no known picture format.")
        }
        throw ImageError(.unsupportedFormat, "No decoder here reads \(format).")
    }
}
