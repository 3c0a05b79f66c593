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

    private func decoder(for bytes: [UInt8], options: DecodeOptions) throws(ImageError) -> any ImageDecoding {
        let format = ImageFormat(sniffing: bytes) ?? options.declaredFormat
        if let decoder = decoders.first(where: { $0.canDecode(bytes, format: format) }) { return decoder }
        guard let format else {
            throw ImageError(.unknownFormat, "The \(bytes.count) bytes match no known picture format.")
        }
        throw ImageError(.unsupportedFormat, "No decoder here reads \(format).")
    }
}
