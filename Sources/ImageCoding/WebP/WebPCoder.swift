// SPDX-License-Identifier: MIT
/// Reads and writes WebP, still and animated, with libwebp.
///
/// An animation's background colour is not used: its canvas starts transparent, as in browsers. Delays below 11 ms
/// count as 100 ms. Embedded colour profiles are applied by ``ImageCoders``.
struct WebPCoder: WatchedDecoding, ImageEncoding {
    /// Whether the format is WebP.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .webp }

    /// Always.
    var makesFramesOnDemand: Bool { true }

    /// Whether the format is WebP.
    func canEncode(_ format: ImageFormat) -> Bool { format == .webp }

    /// Always.
    var leavesColorProfile: Bool { true }

    /// Always.
    var takesMetadata: Bool { true }

    /// Unless the file is lossless.
    func usesQuality(_ format: EncodedFormat) -> Bool { !format.options.isLossless }

    /// Reads the chunks without decoding anything.
    ///
    /// The number of frames and the orientation are known when the file is complete.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let outline = try WebPOutline(bytes, options)
        return ImageProperties(
            .webp, stored: outline.size,
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
        let outline = try WebPOutline(bytes, options, work)
        return try WebPCoder.plan(for: outline, of: bytes, options, work).byteCount
    }

    /// libwebp draws pixels that take no bytes without a pause, however many they are. So a larger picture is not read
    /// for a thumbnail either, unless ``ImageLimits/maximumPixelCount`` allows all of it.
    static let maximumScaledPixelCount = 100_000_000

    /// Plans to draw in full size, or smaller if a thumbnail would not be within the limits otherwise.
    ///
    /// - Returns: The plan, its peak memory, and the frames of an animation.
    static func plan(
        for outline: WebPOutline, of bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork
    ) throws -> (plan: FramePlan, byteCount: Int, frames: [WebPFrame]) {
        func plan(_ denominators: [Int]) -> FramePlan {
            FramePlan(
                outline.size, orientation: outline.orientation, options, denominators: denominators, scalesWhole: true)
        }
        func cost(_ plan: FramePlan, _ codec: Int) -> Int {
            plan.drawn.bitmapByteCount.saturatingAdd(plan.finishingByteCount).saturatingAdd(codec)
        }
        let whole = plan([])
        if outline.isAnimated {
            // Animations above the frame limit are refused anyway.
            let frames = try outline.frames(of: bytes, upTo: options.frameLimit(bytes), work)
            let codec = try frames.reduce(0) { most, frame in
                let codec = try frame.bitstream.codecByteCount(bytes, frame.rect.size, work)
                // A frame that may be transparent is drawn beside the canvas.
                return max(
                    most, codec.saturatingAdd(frame.bitstream.mayHaveAlpha ? frame.rect.size.bitmapByteCount : 0))
            }
            let kept = options.framesOnDemand ? 1 : options.frames.count(of: outline.frameCount)
            let pixels = whole.result.bitmapByteCount.saturatingMultiply(kept)
            return (whole, cost(whole, codec).saturatingAdd(pixels), frames)
        }
        let codec = try outline.bitstream?.codecByteCount(bytes, outline.size, work) ?? 0
        let isWithin =
            outline.size.pixelCount <= options.limits.maximumPixelCount
            && cost(whole, codec) <= options.limits.maximumByteCount
        if isWithin || outline.size.pixelCount > maximumScaledPixelCount { return (whole, cost(whole, codec), []) }
        let small = plan([8, 4, 2])
        return (small, cost(small, codec), [])
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
