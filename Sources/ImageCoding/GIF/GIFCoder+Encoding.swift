// SPDX-License-Identifier: MIT
extension GIFCoder {
    /// Encodes all frames, each with a palette of its own.
    ///
    /// Pixels of less than half alpha become transparent, others opaque. Delays are rounded to hundredths of a second,
    /// at least two. In opaque animations only changed parts are written.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 65,535 pixels a side; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard image.width <= 65_535, image.height <= 65_535 else {
            throw ImageError(code: .tooLarge, message: "A GIF holds 65535 pixels a side, the picture is \(image.size).")
        }
        let frameCount = format.options.firstFrameOnly ? 1 : image.frameCount
        // A GIF without a loop count is played once.
        let loopCount = frameCount > 1 && image.loopCount != 1 ? image.loopCount : nil
        let writer = try GIFWriter.open(size: image.size, loopCount: loopCount)
        var shown: [UInt8]?
        for index in 0..<frameCount {
            let frame = try image.frame(at: index)
            let rect = ChangedPart.rect(image.size, image.hasAlpha ? nil : shown, frame.pixels)
            let pixels = ChangedPart.cut(rect, from: frame.pixels, width: image.width)
            try writer.put(
                try GIFCoder.quantized(
                    image.hasAlpha ? try Bitmap.unpremultiplied(pixels) : pixels, rect: rect, hasAlpha: image.hasAlpha,
                    delay: frameCount > 1 ? max(2, (FrameTiming.milliseconds(frame.duration) + 5) / 10) : 0,
                    isDithered: format.options.isDithered))
            shown = frame.pixels
        }
        return try writer.finish()
    }

    private static func quantized(
        _ pixels: [UInt8], rect: PixelRect, hasAlpha: Bool, delay: Int, isDithered: Bool
    ) throws -> GIFWriter.Frame {
        let quantizer = try ColorQuantizer(pixels, maxColors: hasAlpha ? 255 : 256)
        let transparent = hasAlpha ? quantizer.palette.count : nil
        let indexer = ColorIndexer(
            quantizer, transparent: UInt8(truncatingIfNeeded: transparent ?? 0), isDithered: isDithered)
        return GIFWriter.Frame(
            rect: rect, indexes: try indexer.indexes(of: pixels, width: rect.width), palette: quantizer.palette,
            transparent: transparent, delay: min(delay, 65_535), clears: hasAlpha)
    }
}
