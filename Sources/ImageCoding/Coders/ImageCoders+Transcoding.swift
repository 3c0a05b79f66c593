// SPDX-License-Identifier: MIT
extension ImageCoders {
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
        var (options, rest) = (options, transformers)
        if options.thumbnail == nil { (options.thumbnail, rest) = ResizeTransformer.leading(transformers) }
        options.framesOnDemand = true
        if format.options.firstFrameOnly { options.firstFrameOnly = true }
        return try encode(TransformerPipeline(rest).transform(decode(bytes, options: options)), as: format)
    }
}
