// SPDX-License-Identifier: MIT
extension ImageCoders {
    /// Encodes a picture.
    ///
    /// Blocks its thread for the whole work; run it on a thread that may block.
    ///
    /// **Cancellation**: checked between rows or frames; throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - image: The picture. In a format without animation, an animation becomes its first frame.
    ///   - format: The format and its options.
    /// - Throws: ``ImageError``: `.unsupportedFormat` when no encoder writes it, `.tooLarge` when it cannot hold the
    ///   size, `.invalidRequest` for a largest size without area; `CancellationError`.
    public func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard let encoder = encoders.first(where: { $0.canEncode(format.format) }) else {
            let trait = format.format == .avif ? format.format.missingTrait : nil
            throw ImageError(
                code: .unsupportedFormat, message: "No encoder here writes \(format.format).",
                advice: trait.map { "Enable the package trait \($0.name) and install \($0.package)." })
        }
        try Task.checkCancellation()
        var image = image
        if let box = format.options.maximumSize {
            if format.options.firstFrameOnly { image = image.firstFrame }
            image = try ResizeTransformer(size: box).transform(image)
        }
        if encoder.takesMetadata, format.options.keptMetadata.contains(.orientation),
            let orientation = image.metadata?.orientation
        {
            if !encoder.animates(format) { image = image.firstFrame }
            image = try image.turned(orientation.inverse)
        }
        let bytes = try ImageCoders.file(image, format, encoder)
        guard let limit = format.options.maximumByteCount, bytes.count > limit, encoder.usesQuality(format) else {
            return bytes
        }
        return try smallest(image, format, limit, encoder)
    }

    /// Encodes pixels, and adds the metadata that the format keeps.
    private static func file(
        _ image: DecodedImage, _ format: EncodedFormat, _ encoder: any ImageEncoding
    ) throws -> [UInt8] {
        let bytes = try encoder.encode(image, as: format)
        guard let metadata = image.metadata, encoder.takesMetadata else { return bytes }
        return try metadata.inserted(format.options.keptMetadata, into: bytes)
    }

    /// Searches the best quality below that of the format for a file within the limit.
    private func smallest(
        _ image: DecodedImage, _ format: EncodedFormat, _ limit: Int, _ encoder: any ImageEncoding
    ) throws -> [UInt8] {
        func encode(_ quality: Int) throws -> [UInt8] {
            try Task.checkCancellation()
            let attempt = format.with { ($0.maximumSize, $0.maximumByteCount, $0.quality) = (nil, nil, quality) }
            return try ImageCoders.file(image, attempt, encoder)
        }
        var (low, high) = (1, format.options.quality)
        var best: [UInt8]?
        while low < high {
            let middle = (low + high) / 2
            let bytes = try encode(middle)
            if bytes.count <= limit { (best, low) = (bytes, middle + 1) } else { high = middle }
        }
        return try best ?? encode(1)
    }

    /// The peak memory of ``encode(_:as:)``, in addition to the picture.
    ///
    /// Of frames that are made on demand, those that exist at a time; and the file, as large as noise in all frames
    /// makes it.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its options.
    /// - Returns: Bytes, an upper estimate; 0 when no encoder writes the format; `.max` when the number does not fit.
    /// - Complexity: O(number of encoders).
    public func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        guard let encoder = encoders.first(where: { $0.canEncode(format.format) }) else { return 0 }
        var byteCount = encoder.encodingByteCount(of: image, as: format)
        if format.options.keptMetadata.contains(.orientation), image.metadata?.orientation ?? .up != .up {
            let frames = encoder.animates(format) ? image.heldFrameCount : 1
            byteCount = byteCount.saturatingAdd(image.size.bitmapByteCount.saturatingMultiply(frames))
        }
        // A search keeps the best file so far.
        if let limit = format.options.maximumByteCount { byteCount = byteCount.saturatingAdd(max(limit, 0)) }
        if let box = format.options.maximumSize {
            let frames = format.options.firstFrameOnly ? 1 : image.heldFrameCount
            let resized = ResizeTransformer(size: box).resultSize(for: image.size).bitmapByteCount
            byteCount = byteCount.saturatingAdd(resized.saturatingMultiply(frames))
        }
        return byteCount
    }
}

extension ImageCoders {
    /// The peak memory of encoding a picture that is not made yet, beside the picture.
    ///
    /// - Parameter hasAlpha: Whether a pixel may be transparent.
    /// - Returns: Bytes.
    package func encodingByteCount(
        ofSize size: PixelSize, frames: Int, hasAlpha: Bool, as format: EncodedFormat
    ) -> Int {
        encodingByteCount(of: .outline(size, frames: frames, hasAlpha: hasAlpha), as: format)
    }

    /// Writes a file in another format, an animation frame by frame.
    ///
    /// Each frame is decoded, transformed and encoded before the next one, so an animation takes the memory of a few
    /// frames, however many it has. ``ImageLimits/maximumAnimationPixelCount`` does not apply; an encoder that needs
    /// all frames at once has none here.
    ///
    /// Blocks its thread for the whole work; run it on a thread that may block.
    ///
    /// **Cancellation**: checked between rows and frames; throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - format: The format to write, and its options.
    ///   - transformers: Applied to each frame, in order. The decoder does a leading resize.
    ///   - options: Limits, and the requested frames. Their thumbnail is applied before the transformers.
    /// - Throws: What ``decode(_:options:)``, the transformers and ``encode(_:as:)`` throw.
    /// - Complexity: O(frames * pixels) time; a file whose ``EncodeOptions/maximumByteCount`` is searched is decoded
    ///   once for each attempt.
    public func transcode(
        _ bytes: [UInt8], as format: EncodedFormat, transformers: [any ImageTransforming] = [],
        options: DecodeOptions = DecodeOptions()
    ) throws -> [UInt8] {
        let (options, rest) = ImageCoders.streaming(options, transformers, format)
        // Nothing here holds the picture before it was transformed, nor its first frame.
        return try encode(
            TransformerPipeline(rest).transform(decode(bytes, options: options).releasingFirstFrame()), as: format)
    }

    /// The peak memory of ``transcode(_:as:transformers:options:)``, in addition to the file that is read.
    ///
    /// Of an animation: its canvas, a frame before and after a transformer, the encoder's own frames, and the file that
    /// is written. All frames where the decoder has none on demand.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - format: The format to write, and its options.
    ///   - transformers: Applied to each frame, in order.
    ///   - options: Limits, and the requested frames.
    ///   - isWorstFile: Whether the written file counts as if all frames were noise. Otherwise it counts as if two
    ///     were, which is more than most have: for a caller that would rather try than refuse.
    /// - Returns: Bytes, an upper estimate from the header; `.max` when the number does not fit.
    /// - Throws: What ``decodingByteCount(of:options:)`` throws.
    public func transcodingByteCount(
        of bytes: [UInt8], as format: EncodedFormat, transformers: [any ImageTransforming] = [],
        options: DecodeOptions = DecodeOptions(), isWorstFile: Bool = true
    ) throws -> Int {
        let (options, rest) = ImageCoders.streaming(options, transformers, format)
        let decoding = try decodingByteCount(of: bytes, options: options)
        let decoder = try decoder(for: bytes, options: options)
        let properties = try decoder.properties(of: bytes, options: options)
        let thumbnail = options.withinBudget { properties }.thumbnail
        let size = thumbnail?.resultSize(for: properties.size) ?? properties.size
        let held = decoder.keptFrameCount(properties, options)
        let pipeline = TransformerPipeline(rest)
        let count = options.frames.count(of: properties.frameCount)
        // A stand-in: only its size and the number of its frames count.
        let frames = [DecodedImage.Frame](
            repeating: DecodedImage.Frame(pixels: []), count: isWorstFile ? count : min(count, 2))
        let source = PlannedFrames(durations: frames.map(\.duration))
        var picture = DecodedImage(
            pipeline.resultSize(for: size), held < count ? .onDemand(nil, source) : .held(frames), hasAlpha: true)
        picture.metadata = ImageMetadata(MetadataBlocks(of: bytes, limits: options.limits))
        return decoding.saturatingAdd(pipeline.workingByteCount(for: size).saturatingMultiply(held))
            .saturatingAdd(encodingByteCount(of: picture, as: format))
    }

    /// The number of frames that the picture of a file holds.
    package func heldFrameCount(
        of bytes: [UInt8], _ properties: ImageProperties, options: DecodeOptions
    ) throws -> Int {
        try decoder(for: bytes, options: options).keptFrameCount(properties, options)
    }

    /// Whether an animation that is written in a format stays one, so that its frames may be decoded on demand.
    package func animates(_ format: EncodedFormat) -> Bool {
        encoders.first { $0.canEncode(format.format) }?.animates(format) ?? false
    }

    /// How a file is decoded on its way into another one, and what remains to be done with each frame.
    private static func streaming(
        _ options: DecodeOptions, _ transformers: [any ImageTransforming], _ format: EncodedFormat
    ) -> (DecodeOptions, [any ImageTransforming]) {
        var (options, rest) = (options, transformers)
        if options.thumbnail == nil { (options.thumbnail, rest) = ResizeTransformer.leading(transformers) }
        options.framesOnDemand = true
        options.keepsColors = options.keepsColors || format.options.keptMetadata.contains(.colorProfile)
        if format.options.firstFrameOnly {
            let first = options.frames.indices.lowerBound
            options.frames = .run(first..<first.saturatingAdd(1))
        }
        return (options, rest)
    }
}

/// The frames of an animation that is not decoded yet.
struct PlannedFrames: FrameSource {
    let durations: [Duration]
    let byteCount = 0

    func pixels(at index: Int) throws -> [UInt8] { [] }
}

extension DecodedImage {
    /// The number of frames that exist at a time.
    package var heldFrameCount: Int { makesFramesOnDemand ? 1 : frameCount }
}
