// SPDX-License-Identifier: MIT
/// Reads and writes WebP, still and animated, with libwebp.
///
/// An animation's background colour is not used: its canvas starts transparent, as in browsers. Delays below 11 ms
/// count as 100 ms. Embedded colour profiles are applied by ``ImageCoders``, with the package trait `ICC`.
struct WebPCoder: ImageDecoding, ImageEncoding {
    /// Creates a coder.
    init() {}

    /// Whether the format is WebP.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .webp }

    /// Whether the format is WebP.
    func canEncode(_ format: ImageFormat) -> Bool { format == .webp }

    /// Unless the file is lossless.
    func usesQuality(_ format: EncodedFormat) -> Bool { !format.options.isLossless }

    /// Reads the chunks without decoding anything.
    ///
    /// The number of frames and the orientation are known when the file is complete.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let outline = try WebPCoder.outline(of: bytes, options)
        let shown = outline.size.turned(outline.orientation)
        return ImageProperties(
            format: .webp, width: shown.width, height: shown.height,
            frameCount: outline.isAnimated && !outline.isComplete ? nil : outline.frameCount,
            orientation: outline.orientation, hasAlpha: outline.hasAlpha, isLossless: outline.isLossless)
    }
}

extension WebPCoder {
    /// For a still picture the bitmap, libwebp's copy where it needs one, and what the `FramePlan` adds.
    ///
    /// For an animation the canvas, the largest frame, and every frame kept, as large as the thumbnail if one is
    /// requested.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        let outline = try WebPOutline(
            bytes, maximumMetadataByteCount: options.limits.maximumMetadataByteCount, work: work)
        return try WebPCoder.plan(for: outline, of: bytes, options, work).byteCount
    }

    /// libwebp draws pixels that take no bytes without a pause, however many they are. So a larger picture is not read
    /// for a thumbnail either, unless ``ImageLimits/maximumPixelCount`` allows all of it.
    static let maximumScaledPixelCount = 100_000_000

    /// Plans to draw in full size, or smaller if a thumbnail would not be within the limits otherwise.
    ///
    /// - Returns: The plan, and its peak memory.
    static func plan(
        for outline: WebPOutline, of bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork
    ) throws -> (plan: FramePlan, byteCount: Int) {
        func plan(_ denominators: [Int]) -> FramePlan {
            FramePlan(
                stored: outline.size, denominators: denominators, orientation: outline.orientation,
                thumbnail: options.thumbnail, maximumPixelCount: options.limits.maximumPixelCount, scalesWhole: true)
        }
        func cost(_ plan: FramePlan, _ codec: Int) -> Int {
            plan.drawn.bitmapByteCount.saturatingAdd(plan.finishingByteCount).saturatingAdd(codec)
        }
        let whole = plan([])
        if outline.isAnimated {
            let frameCount = options.firstFrameOnly || options.framesOnDemand ? 1 : outline.frameCount
            let frames = whole.result.bitmapByteCount.saturatingMultiply(frameCount)
            let codec = try frameByteCount(outline, bytes, options, work)
            return (whole, cost(whole, codec).saturatingAdd(frames))
        }
        let codec = try outline.bitstream?.codecByteCount(bytes, outline.size, work) ?? 0
        let isWithin =
            outline.size.pixelCount <= options.limits.maximumPixelCount
            && cost(whole, codec) <= options.limits.maximumByteCount
        if isWithin || outline.size.pixelCount > maximumScaledPixelCount { return (whole, cost(whole, codec)) }
        let small = plan([8, 4, 2])
        return (small, cost(small, codec))
    }

    /// The peak memory of one of the requested frames before it is on the canvas.
    private static func frameByteCount(
        _ outline: WebPOutline, _ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork
    ) throws -> Int {
        // Animations above the frame limit are refused anyway.
        var left = options.firstFrameOnly ? 1 : max(options.limits.maximumFrameCount, 1)
        var most = 0
        var chunks = outline.chunks(of: bytes, work: work)
        while left > 0, let chunk = try chunks.next() {
            guard chunk.type == WebPChunks.frame, chunk.isWhole else { continue }
            let frame = try WebPFrame(chunk.payload, of: bytes, on: outline.size, work: work)
            let codec = try frame.bitstream.codecByteCount(bytes, frame.size, work)
            // A frame that may be transparent is drawn beside the canvas.
            most = max(most, codec.saturatingAdd(frame.bitstream.mayHaveAlpha ? frame.size.bitmapByteCount : 0))
            left -= 1
        }
        return most
    }

    static func outline(of bytes: [UInt8], _ options: DecodeOptions) throws -> WebPOutline {
        try WebPOutline(
            bytes, maximumMetadataByteCount: options.limits.maximumMetadataByteCount,
            work: DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    /// The pixels without premultiplication, libwebp's picture, its search for repetitions, and the file twice.
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let isAnimated = image.isAnimated && !format.options.firstFrameOnly
        let frames = isAnimated ? image.frameCount : 1
        // Lossless coding, of alpha too, keeps the pixels, a hash chain and several lists of references to it.
        let isLossless = format.options.isLossless || image.hasAlpha
        let codec = isLossless ? 48 : 8
        // An animation keeps four canvases beside the frame, and tries each frame in two ways.
        let perPixel = 8 + codec + (isAnimated ? 16 + codec : 0)
        let file = image.size.bitmapByteCount.saturatingMultiply(frames).saturatingMultiply(2)
        return image.size.pixelCount.saturatingMultiply(perPixel).saturatingAdd(file).saturatingAdd(1 << 20)
    }
}
