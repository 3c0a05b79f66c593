// SPDX-License-Identifier: MIT
import CImageShims

extension PNGCoder {
    /// Encodes a picture: as RGB when it is opaque and as RGBA otherwise, with a palette, or all its frames.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard image.width <= Int(Int32.max), image.height <= Int(Int32.max) else {
            throw ImageError(
                code: .tooLarge, message: "A PNG holds \(Int32.max) pixels a side, the picture is \(image.size).")
        }
        let options = format.options
        if options.writesAPNG, image.isAnimated, !options.firstFrameOnly {
            return try PNGAnimationWriter.encode(image, level: options.compressionLevel)
        }
        let pixels = image.hasAlpha ? try Bitmap.unpremultiplied(image.pixels) : image.pixels
        if let count = options.maximumColors { return try PNGCoder.encode(pixels, image, count, options) }
        return try PNGCoder.encode(pixels, image.size, options.compressionLevel, hasAlpha: image.hasAlpha)
    }

    /// - Parameters:
    ///   - pixels: RGBA, not premultiplied; with a palette, an index a pixel.
    ///   - palette: RGB, three bytes a colour; empty for none.
    ///   - transparent: The palette's transparent entry.
    static func encode(
        _ pixels: [UInt8], _ size: PixelSize, _ level: Int, hasAlpha: Bool, palette: [UInt8] = [],
        transparent: Int? = nil
    ) throws -> [UInt8] {
        var failure = swi_failure()
        var output = unsafe swi_bytes()
        let status = unsafe pixels.withUnsafeBufferPointer { input in
            unsafe palette.withUnsafeBufferPointer { colors in
                var request = unsafe swi_png_encode_request(
                    width: UInt32(size.width), height: UInt32(size.height), level: Int32(level),
                    has_alpha: hasAlpha ? 1 : 0, palette: palette.isEmpty ? nil : colors.baseAddress,
                    palette_count: Int32(palette.count / 3), transparent: transparent.map { Int32($0) } ?? -1,
                    should_stop: ShimStatus.shouldStop)
                // A picture has at least one pixel.
                return unsafe swi_png_encode(input.baseAddress!, &request, &output, &failure)
            }
        }
        try ShimStatus.check(status, failure, format: .png)
        return unsafe ShimStatus.take(&output)
    }

    /// Encodes with a palette.
    private static func encode(
        _ pixels: [UInt8], _ image: DecodedImage, _ count: Int, _ options: EncodeOptions
    ) throws -> [UInt8] {
        let quantizer = try ColorQuantizer(pixels, maxColors: image.hasAlpha ? max(count - 1, 1) : count)
        // Behind the colours, so that it is none of them.
        let transparent = image.hasAlpha ? quantizer.palette.count : nil
        let indexer = ColorIndexer(
            quantizer, transparent: UInt8(truncatingIfNeeded: transparent ?? 0), isDithered: options.isDithered)
        let indexes = try indexer.indexes(of: pixels, width: image.width)
        let colors = quantizer.palette + (transparent == nil ? [] : [0])
        let palette = colors.flatMap { color in [16, 8, 0].map { UInt8(truncatingIfNeeded: color >> $0) } }
        return try encode(
            indexes, image.size, options.compressionLevel, hasAlpha: false, palette: palette, transparent: transparent)
    }

    /// The pixels without premultiplication, five rows, zlib, and the file twice: libpng's and ours. For an animation
    /// the pixels that were shown before, and the file while its array grows.
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let row = image.width.saturatingMultiply(4).saturatingAdd(1)
        // Stored blocks add five bytes for every 16 KiB.
        let file = row.saturatingMultiply(image.height).saturatingMultiply(1_001) / 1_000
        let frames = format.options.writesAPNG && !format.options.firstFrameOnly ? image.frameCount : 1
        return file.saturatingMultiply(frames > 1 ? frames.saturatingMultiply(3).saturatingAdd(4) : 2).saturatingAdd(
            image.hasAlpha ? image.size.bitmapByteCount : 0
        )
        .saturatingAdd(row.saturatingMultiply(6)).saturatingAdd(524_288)
    }
}
