// SPDX-License-Identifier: MIT
/// Turns files into pixels.
///
/// Conform to it to support another format, and insert the decoder at the front of ``ImageCoders/decoders``.
///
/// The bytes are untrusted input: check before allocating, honour ``DecodeOptions/limits``, throw and never trap.
public protocol ImageDecoding: Sendable {
    /// Whether this decoder reads a file.
    ///
    /// Called for every file until a decoder returns `true`, so it must read the first bytes only.
    ///
    /// - Parameters:
    ///   - bytes: The file, or its beginning.
    ///   - format: The format from the signature or, without one, from the declared type; `nil` when both are missing.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool

    /// Whether pixels keep the colours of the file, which ``ImageCoders`` then converts to sRGB. It finds what a JPEG,
    /// PNG or WebP says of its colours, and a TIFF, HEIC, AVIF or JPEG XL where its package trait is enabled.
    ///
    /// `false` by default.
    var leavesColorProfile: Bool { get }

    /// Whether the decoder makes the frames of an animation on demand, when ``DecodeOptions/framesOnDemand`` asks.
    ///
    /// `false` by default: all wanted frames are in memory.
    var makesFramesOnDemand: Bool { get }

    /// Reads the header, without decoding.
    ///
    /// - Parameters:
    ///   - bytes: The file, or as much of its beginning as there is.
    ///   - options: Limits for the metadata. The picture's size is not checked.
    /// - Throws: ``ImageError``: `.truncated` when the header is not complete, `.malformed`.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties

    /// The peak memory of ``decode(_:options:)``, in addition to the file.
    ///
    /// An upper estimate from the header alone, without allocating: pixels of the result, working memory of the
    /// library, copies made for turning and shrinking. The default implementation returns twice the pixels of all
    /// frames in ``properties(of:options:)``.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: The requested frames and size. The limits for metadata apply; the picture's size is not checked.
    /// - Returns: Bytes; `.max` when the number does not fit.
    /// - Throws: What ``properties(of:options:)`` throws.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int

    /// Decodes a file.
    ///
    /// Blocks its thread for the whole work; run it on a thread that may block.
    ///
    /// **Cancellation**: checked between rows and frames; throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - bytes: The whole file.
    ///   - options: Limits, and the requested frames and size. ``ImageLimits/maximumByteCount`` is checked before
    ///     anything large is allocated.
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage
}

extension ImageDecoding {
    /// `false`.
    public var leavesColorProfile: Bool { false }

    /// `false`.
    public var makesFramesOnDemand: Bool { false }

    /// The number of frames that a picture keeps in memory.
    func keptFrameCount(_ properties: ImageProperties, _ options: DecodeOptions) -> Int {
        makesFramesOnDemand && options.framesOnDemand ? 1 : options.frames.count(of: properties.frameCount)
    }

    /// Twice the pixels of all requested frames.
    public func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let properties = try properties(of: bytes, options: options)
        let frames = keptFrameCount(properties, options)
        return properties.size.bitmapByteCount.saturatingMultiply(frames).saturatingMultiply(2)
    }
}

/// Decodes one file while it arrives, and reads each byte once.
///
/// Conform a decoder to ``ProgressiveDecoding`` where decoding the beginning anew for each preview costs too much.
public protocol ImagePreviewing: Sendable {
    /// The most bytes that it holds, between and during calls, and that a preview takes.
    var byteCount: Int { get }

    /// The picture of the bytes that have arrived.
    ///
    /// Blocks its thread. Calls come one at a time, from any thread.
    ///
    /// **Cancellation**: checked between rows; throws `CancellationError`, and a later call may go on.
    ///
    /// - Parameter bytes: The beginning of the file: the bytes of the call before, and more.
    /// - Returns: `nil` before there is a picture of all of the canvas.
    /// - Throws: ``ImageError``: there are no more previews; `CancellationError`.
    func preview(of bytes: [UInt8]) throws -> DecodedImage?
}

/// A decoder that can read a file while it arrives.
public protocol ProgressiveDecoding: ImageDecoding {
    /// Begins to read a file that still arrives.
    ///
    /// - Parameters:
    ///   - beginning: The bytes so far, with a whole header.
    ///   - options: Limits, and the size of the previews.
    /// - Returns: `nil` for a file whose beginning is as cheaply decoded anew.
    /// - Throws: ``ImageError`` for a file that cannot be read, or is beyond the limits.
    func previewer(for beginning: [UInt8], options: DecodeOptions) throws -> (any ImagePreviewing)?
}

extension ImageCoders {
    /// Begins to read a file that still arrives, if its decoder can.
    ///
    /// - Parameters:
    ///   - beginning: The bytes so far, with a whole header.
    ///   - options: Limits, and the size of the previews.
    /// - Returns: `nil` for a file whose beginning is as cheaply decoded anew, and for one whose colours are converted
    ///   while it is drawn.
    /// - Throws: ``ImageError`` for a file that cannot be read, or is beyond the limits.
    public func previewer(
        for beginning: [UInt8], options: DecodeOptions = DecodeOptions()
    ) throws -> (any ImagePreviewing)? {
        try options.check()
        let decoder = try decoder(for: beginning, options: options) as? any ProgressiveDecoding
        guard let decoder, let previewer = try decoder.previewer(for: beginning, options: options) else { return nil }
        guard let source = ImageCoders.colors(of: beginning, decoder, options).source, !source.isKnownAsNeedless
        else { return previewer }
        // The previewer would draw other colours than the picture has.
        if source.isForDrawing { return nil }
        return ConvertedPreviews(previewer: previewer, source: source)
    }
}

/// Previews in sRGB, like the picture that follows.
private struct ConvertedPreviews: ImagePreviewing {
    let previewer: any ImagePreviewing
    let source: ColorConversion.Source

    /// The pixels that are converted are among those of the previewer, and there twice. The conversion is prepared for
    /// the first preview.
    var byteCount: Int { previewer.byteCount.saturatingMultiply(2).saturatingAdd(source.byteCount) }

    func preview(of bytes: [UInt8]) throws -> DecodedImage? {
        guard let preview = try previewer.preview(of: bytes) else { return nil }
        return try ColorConversion.of(source)?.convert(preview) ?? preview
    }
}
