// SPDX-License-Identifier: MIT
/// Reads and writes GIF, still and animated, with giflib.
///
/// Frames are composed as in browsers: the screen starts transparent and its background colour is not used, frames are
/// clipped to the screen, and delays below 11 ms count as 100 ms.
struct GIFCoder: WatchedDecoding, ImageEncoding {
    /// Whether the format is GIF.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .gif }

    /// Always.
    var makesFramesOnDemand: Bool { true }

    /// Whether the format is GIF.
    func canEncode(_ format: ImageFormat) -> Bool { format == .gif }

    /// Never: the format has no quality.
    func usesQuality(_ format: EncodedFormat) -> Bool { false }

    /// Reads the blocks without decompressing anything.
    ///
    /// The number of frames is known when the file is complete.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        let outline = try GIFOutline(bytes, frameLimit: .max, work: work)
        return ImageProperties(
            .gif, stored: outline.size, frameCount: outline.isComplete ? outline.frameCount : nil,
            hasAlpha: outline.hasAlpha, isLossless: true)
    }
}

extension GIFCoder {
    /// The screen, the pixels below a restored frame, and every frame kept: as large as the thumbnail, if one is
    /// requested. For a thumbnail of one frame, some rows of the screen, and the indexes of an interlaced frame.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        let outline = try GIFCoder.outline(of: bytes, options, work)
        return GIFCoder.decodingByteCount(
            outline, FramePlan(outline.size, options), try options.frames.clamped(to: max(outline.frameCount, 1)),
            onDemand: options.framesOnDemand)
    }

    /// - Parameter run: The wanted frames.
    static func decodingByteCount(
        _ outline: GIFOutline, _ plan: FramePlan, _ run: Range<Int>, onDemand: Bool
    ) -> Int {
        if drawsRows(plan, run) {
            return plan.drawingByteCount(inOrder: true).saturatingAdd(plan.finishingByteCount)
                .saturatingAdd(outline.interlacedPixels).saturatingAdd(outline.interlacedPixels == 0 ? 0 : 65_536)
                .saturatingAdd(131_072)
        }
        let screen = plan.drawn.bitmapByteCount
        // A frame that is not shrunk shares the screen's memory until the next frame is drawn.
        let frames = plan.result.bitmapByteCount.saturatingMultiply(onDemand ? 1 : run.count)
        let working = outline.frameCount > 1 || plan.result != plan.drawn ? screen : 0
        return frames.saturatingAdd(working).saturatingAdd(outline.restoresFrames ? screen : 0)
            .saturatingAdd(plan.finishingByteCount).saturatingAdd(131_072)
    }

    /// The pixels without premultiplication or cut to the changed part, their indexes, the tables of the quantizer, and
    /// the file while its array grows.
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let pixels = image.size.pixelCount
        let frames = format.options.firstFrameOnly ? 1 : image.frameCount
        // Codes of at most twelve bits, in blocks of 255 bytes; a growing array exists twice, and the new one has
        // double the size.
        let file = pixels.saturatingMultiply(frames).saturatingMultiply(2).saturatingMultiply(3)
        return file.saturatingAdd(pixels.saturatingMultiply(9)).saturatingAdd(4 << 20)
    }
}

extension GIFCoder {
    /// Encodes all frames, each with a palette of its own.
    ///
    /// Pixels of less than half alpha become transparent, others opaque. Delays are rounded to hundredths of a second,
    /// at least two. In opaque animations only changed parts are written.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 65,535 pixels a side; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        try image.checkSides(atMost: 65_535, of: "A GIF")
        let frameCount = format.options.firstFrameOnly ? 1 : image.frameCount
        // A GIF without a loop count is played once.
        let loopCount = frameCount > 1 && image.loopCount != 1 ? image.loopCount : nil
        let writer = try GIFWriter.open(size: image.size, loopCount: loopCount)
        var shown: [UInt8]?
        try (frameCount == 1 ? image.firstFrame : image).forEachFrame { _, frame in
            let rect = ChangedPart.rect(image.size, shown, frame.pixels)
            // The frame before is not needed any more, and that of a picture with alpha never.
            shown = image.hasAlpha ? nil : frame.pixels
            let pixels = try Bitmap.cut(rect, from: frame.pixels, image.size)
            let indexed = try IndexedPixels(
                image.hasAlpha ? try Bitmap.unpremultiplied(pixels) : pixels, width: rect.width,
                hasAlpha: image.hasAlpha, maxColors: 256, isDithered: format.options.isDithered)
            let delay = frameCount > 1 ? max(2, (FrameTiming.milliseconds(frame.duration) + 5) / 10) : 0
            try writer.put(indexed, in: rect, delay: min(delay, 65_535))
        }
        return try writer.finish()
    }
}
