// SPDX-License-Identifier: MIT
import Foundation

extension GIFCoder {
    /// Encodes all frames, each with a palette of its own.
    ///
    /// Pixels of less than half alpha become transparent, others opaque. Delays are rounded to hundredths of a second,
    /// at least two. In opaque animations only changed parts are written.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 65,535 pixels a side; `CancellationError`.
    public func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
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
            let rect = image.hasAlpha ? GIFCoder.whole(image.size) : GIFCoder.changed(image.size, shown, frame.pixels)
            let pixels = GIFCoder.cut(rect, from: frame.pixels, width: image.width)
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

    private static func whole(_ size: PixelSize) -> PixelRect {
        PixelRect(x: 0, y: 0, width: size.width, height: size.height)
    }

    /// The smallest rectangle around all differing pixels; one pixel when none differs.
    private static func changed(_ size: PixelSize, _ before: [UInt8]?, _ after: [UInt8]) -> PixelRect {
        guard let before else { return whole(size) }
        let rowBytes = size.width * 4
        let rows = unsafe before.withUnsafeBytes { before in
            unsafe after.withUnsafeBytes { after in
                // Both are whole frames.
                (0..<size.height).filter { y in
                    unsafe memcmp(before.baseAddress! + y * rowBytes, after.baseAddress! + y * rowBytes, rowBytes) != 0
                }
            }
        }
        guard let top = rows.first, let bottom = rows.last else { return PixelRect(x: 0, y: 0, width: 1, height: 1) }
        var left = size.width
        var right = 0
        for y in rows {
            let row = y * rowBytes..<(y + 1) * rowBytes
            guard let first = row.first(where: { before[$0] != after[$0] }),
                let last = row.last(where: { before[$0] != after[$0] })
            else { continue }
            left = min(left, (first - row.lowerBound) / 4)
            right = max(right, (last - row.lowerBound) / 4)
        }
        return PixelRect(x: left, y: top, width: right - left + 1, height: bottom - top + 1)
    }

    private static func cut(_ rect: PixelRect, from pixels: [UInt8], width: Int) -> [UInt8] {
        if rect.width * rect.height * 4 == pixels.count { return pixels }
        var part = [UInt8]()
        part.reserveCapacity(rect.width * rect.height * 4)
        for y in rect.y..<rect.y + rect.height {
            let start = (y * width + rect.x) * 4
            part.append(contentsOf: pixels[start..<start + rect.width * 4])
        }
        return part
    }
}
