// SPDX-License-Identifier: MIT
/// The coders in use, in order: the first coder that accepts a file or a format is used.
///
/// A value: a service uses the coders it was given, and nothing can be registered behind its back.
///
/// ```swift
/// var coders = ImageCoders.default
/// coders.decoders.insert(MyDecoder(), at: 0)
/// let image = try coders.decode(bytes)
/// ```
public struct ImageCoders: Sendable {
    /// The decoders, tried in order for every file.
    public var decoders: [any ImageDecoding]
    /// The encoders, tried in order for every format.
    public var encoders: [any ImageEncoding]

    /// Creates a list of coders.
    ///
    /// - Parameters:
    ///   - decoders: Tried in order for every file.
    ///   - encoders: Tried in order for every format.
    public init(decoders: [any ImageDecoding], encoders: [any ImageEncoding]) {
        self.decoders = decoders
        self.encoders = encoders
    }

    /// Reads a file's header, without decoding.
    ///
    /// - Parameters:
    ///   - bytes: The file, or as much of its beginning as there is.
    ///   - options: Limits for the metadata, and the declared format. The picture's size is not checked.
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unknownFormat`, `.unsupportedFormat`.
    public func properties(
        of bytes: [UInt8], options: DecodeOptions = DecodeOptions()
    ) throws -> ImageProperties {
        try decoder(for: bytes, options: options).properties(of: bytes, options: options)
    }

    /// Refuses a file that no decoder accepts, from its beginning.
    ///
    /// With it a download can end early. A file that passes may still be refused by ``decode(_:options:)``; a file that
    /// decodes always passes.
    ///
    /// - Parameters:
    ///   - beginning: The first bytes of the file, at best ``ImageFormat/signatureLength`` or more. Fewer are refused
    ///     only when their format is already clear.
    ///   - options: The declared format is used when there is no signature.
    /// - Throws: ``ImageError`` as ``decode(_:options:)`` would: `.unknownFormat` or `.unsupportedFormat`.
    /// - Complexity: O(number of decoders); for text that may become an SVG, O(`beginning.count`).
    public func checkSignature(_ beginning: [UInt8], options: DecodeOptions = DecodeOptions()) throws(ImageError) {
        if ImageFormat(sniffing: beginning) == nil {
            if beginning.count < ImageFormat.signatureLength { return }
            // The root element follows comments of any length, and one of the decoders may read SVG.
            if ImageFormat.mayBecomeSVG(beginning), decoders.contains(where: { $0.canDecode(beginning, format: .svg) })
            {
                return
            }
        }
        _ = try decoder(for: beginning, options: options)
    }

    /// The peak memory of ``decode(_:options:)``, in addition to the file.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: The requested frames and size, and the declared format.
    /// - Returns: Bytes, an upper estimate from the header; `.max` when the number does not fit.
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`, `.unknownFormat`, `.unsupportedFormat`, `.invalidRequest`
    ///   for a thumbnail without area; `CancellationError`.
    public func decodingByteCount(of bytes: [UInt8], options: DecodeOptions = DecodeOptions()) throws -> Int {
        try options.check()
        let decoder = try decoder(for: bytes, options: options)
        let options = try options.withinBudget { try decoder.properties(of: bytes, options: options) }
        var decoding = try decoder.decodingByteCount(of: bytes, options: options)
        // Preparing the conversion would take memory here, so what may turn out to need none counts, too.
        if let source = ImageCoders.colors(of: bytes, decoder, options).source, !source.isKnownAsNeedless {
            // Frames in memory are there twice while they are converted.
            let properties = try decoder.properties(of: bytes, options: options)
            let frames = source.isForDrawing ? 0 : decoder.keptFrameCount(properties, options)
            let size = options.thumbnail?.shrinking.resultSize(for: properties.size) ?? properties.size
            decoding = decoding.saturatingAdd(size.bitmapByteCount.saturatingMultiply(frames))
                .saturatingAdd(source.byteCount)
        }
        guard let thumbnail = options.thumbnail, thumbnail.allowsEnlarging else { return decoding }
        let properties = try decoder.properties(of: bytes, options: options)
        let enlarged = thumbnail.resultSize(for: properties.size)
        let frames = decoder.keptFrameCount(properties, options)
        return decoding.saturatingAdd(enlarged.bitmapByteCount.saturatingMultiply(frames))
    }

    /// Decodes a file.
    ///
    /// Colours become sRGB, once, those of a thumbnail after it was made smaller, unless
    /// ``DecodeOptions/keepsColors`` says otherwise.
    ///
    /// The picture carries what an encoder may keep: ``DecodedImage/metadata``.
    ///
    /// Blocks its thread for the whole work; run it on a thread that may block.
    ///
    /// **Cancellation**: checked between rows and frames; throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - bytes: The whole file. A prefix without all pixels is refused, unless the options say otherwise.
    ///   - options: Limits, and the requested frames and size.
    /// - Throws: ``ImageError``, with `.invalidRequest` only for a thumbnail without area and a run without frames;
    ///   `CancellationError`.
    public func decode(_ bytes: [UInt8], options: DecodeOptions = DecodeOptions()) throws -> DecodedImage {
        try options.check()
        try Task.checkCancellation()
        let decoder = try decoder(for: bytes, options: options)
        var options = try options.withinBudget { try decoder.properties(of: bytes, options: options) }
        if options.frames.indices.lowerBound > 0 {
            let properties = try decoder.properties(of: bytes, options: options)
            if let count = properties.frameCount { _ = try options.frames.clamped(to: count) }
        }
        let (source, metadata) = ImageCoders.colors(of: bytes, decoder, options)
        let conversion = source.flatMap(ColorConversion.of)
        options.colors = conversion
        var image = try decoder.decode(bytes, options: options)
        if image.metadata == nil { image.metadata = metadata }
        if let conversion, !conversion.isDoneWhileDrawing, !image.isConverted { image = try conversion.convert(image) }
        image.scale = options.scale
        // The decoders here have done it, but for enlarging; the others may draw a larger picture.
        return try options.thumbnail?.transform(image) ?? image
    }

    /// What is to be converted of a file's colours, and what an encoder may keep of the file.
    static func colors(
        of bytes: [UInt8], _ decoder: any ImageDecoding, _ options: DecodeOptions
    ) -> (source: ColorConversion.Source?, metadata: ImageMetadata?) {
        let blocks = MetadataBlocks(of: bytes, limits: options.limits)
        let metadata = ImageMetadata(blocks)
        guard decoder.leavesColorProfile else { return (nil, metadata?.withoutProfile) }
        if options.keepsColors, case .profile = blocks.colors, metadata?.colorProfile.isEmpty == false {
            return (nil, metadata)
        }
        return ((decoder is any WatchedDecoding ? blocks : blocks.ofEightBits).source, metadata?.withoutProfile)
    }

    func decoder(for bytes: [UInt8], options: DecodeOptions) throws(ImageError) -> any ImageDecoding {
        let format = ImageFormat(sniffing: bytes) ?? options.declaredFormat
        if let decoder = decoders.first(where: { $0.canDecode(bytes, format: format) }) { return decoder }
        guard let format else {
            throw ImageError(code: .unknownFormat, message: "The \(bytes.count) bytes match no known picture format.")
        }
        let trait = format.missingTrait.map {
            "Enable the package trait \($0.name) and install \($0.package), or insert"
        }
        throw ImageError(
            code: .unsupportedFormat, message: "This build has no decoder for \(format).",
            advice: "\(trait ?? "Insert") one into ImageCoders.decoders.")
    }
}

extension ImageCoders {
    /// The coders of this module: JPEG, PNG, GIF and WebP for reading and writing, BMP and ICO for reading, BlurHash and
    /// ThumbHash for writing; after them those of the package traits that the build has.
    public static let `default`: ImageCoders = {
        var coders = ImageCoders(
            decoders: [JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder(), BMPCoder(), ICOCoder()],
            encoders: [JPEGCoder(), PNGCoder(), GIFCoder(), WebPCoder(), PlaceholderCoder()])
        #if TIFF
        coders.decoders.append(TIFFCoder())
        #endif
        #if HEIF
        coders.decoders.append(HEIFCoder())
        coders.encoders.append(HEIFCoder())
        #endif
        #if JPEGXL
        coders.decoders.append(JPEGXLCoder())
        #endif
        return coders
    }()
}
