// SPDX-License-Identifier: MIT
import CImageShims

/// Reads and writes PNG with libpng.
///
/// Reads every colour type, 1 to 16 bits, interlaced or not; 16 bits become 8 by dropping the low byte, as browsers do,
/// after they are converted to sRGB. Other colours are converted by ``ImageCoders``.
/// Animations are read, and written with ``EncodeOptions/writesAPNG``. In an animation that breaks the rules, the
/// default picture is read.
struct PNGCoder: WatchedDecoding, ImageEncoding {
    /// Whether the format is PNG.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .png }

    /// Always.
    var makesFramesOnDemand: Bool { true }

    /// Whether the format is PNG.
    func canEncode(_ format: ImageFormat) -> Bool { format == .png }

    /// Always.
    var leavesColorProfile: Bool { true }

    /// Always.
    var takesMetadata: Bool { true }

    /// Whether an animated PNG is written.
    func animates(_ format: EncodedFormat) -> Bool {
        format.options.writesAPNG && !format.options.firstFrameOnly
    }

    /// Never: the format has no quality.
    func usesQuality(_ format: EncodedFormat) -> Bool { false }

    /// Reads the chunks without inflating anything.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try PNGHeader(bytes, options)
        var frameCount: Int? = 1
        if header.isAnimated {
            let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
            let animation = try PNGAnimation(bytes, canvas: header.size, frameLimit: .max, work: work)
            frameCount = animation.map { $0.isComplete ? $0.frames.count : nil } ?? 1
        }
        return ImageProperties(
            .png, stored: header.size, frameCount: frameCount, orientation: header.orientation,
            hasAlpha: header.hasAlpha, isLossless: true)
    }
}

extension PNGCoder {
    /// The bitmap or, for a thumbnail of a file that is not interlaced, some rows of it; libpng's rows; and what the
    /// `FramePlan` adds. Interlacing adds nothing to a bitmap: its passes share it.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try PNGHeader(bytes, options)
        let plan = FramePlan(header.size, orientation: header.orientation, options)
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        guard let animation = try PNGCoder.animation(of: bytes, header, options, work) else {
            return PNGCoder.decodingByteCount(header, plan)
        }
        return PNGCoder.decodingByteCount(animation, header, plan, options)
    }

    static func decodingByteCount(_ header: PNGHeader, _ plan: FramePlan, isFrame: Bool = false) -> Int {
        // Two rows of up to eight bytes a pixel; zlib's window and what libpng reads at once.
        plan.drawingByteCount(inOrder: !header.isInterlaced && !isFrame).saturatingAdd(plan.finishingByteCount)
            .saturatingAdd(header.size.width.saturatingMultiply(24)).saturatingAdd(131_072)
    }
}

extension PNGCoder {
    /// Decodes a PNG.
    ///
    /// A file without its last pixels, or with a wrong checksum, is an error unless ``DecodeOptions/failOn`` is
    /// ``DamagePolicy/never``: then the missing pixels are transparent.
    ///
    /// **Cancellation**: checked every 65,536 pixels, every 32 KiB of the file and every 4,096 chunks.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let header = try PNGHeader(bytes, options, work)
        let plan = FramePlan(header.size, orientation: header.orientation, options)
        if let animation = try PNGCoder.animation(of: bytes, header, options, work) {
            return try PNGCoder.decode(animation, bytes, header, plan, options, work)
        }
        try plan.check(
            header.size, options.limits, rows: header.isInterlaced ? header.size.height : 0,
            whole: "An interlaced picture")
        try options.limits.check(byteCount: PNGCoder.decodingByteCount(header, plan))
        return try unsafe plan.draw(
            work, inOrder: !header.isInterlaced, premultiplies: header.hasAlpha || options.failOn == .never
        ) { try unsafe Shim.draw(.png, bytes, header.size, to: $0, $1, options, work, swi_png_decode) }
    }
}

extension PNGCoder {
    /// Encodes a picture: as RGB when it is opaque and as RGBA otherwise, with a palette, or all its frames.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        try image.checkSides(atMost: Int(Int32.max), of: "A PNG")
        let options = format.options
        if image.isAnimated, animates(format) {
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
        try unsafe palette.withUnsafeBufferPointer { colors in
            var request = unsafe swi_png_encode_request(
                width: UInt32(size.width), height: UInt32(size.height), level: Int32(level),
                has_alpha: hasAlpha ? 1 : 0, palette: palette.isEmpty ? nil : colors.baseAddress,
                palette_count: Int32(palette.count / 3), transparent: transparent.map { Int32($0) } ?? -1,
                should_stop: Shim.shouldStop)
            return try unsafe Shim.encode(.png) { unsafe swi_png_encode(pixels, &request, $0, $1) }
        }
    }

    /// Encodes with a palette.
    private static func encode(
        _ pixels: [UInt8], _ image: DecodedImage, _ count: Int, _ options: EncodeOptions
    ) throws -> [UInt8] {
        let indexed = try IndexedPixels(
            pixels, width: image.width, hasAlpha: image.hasAlpha, maxColors: count, isDithered: options.isDithered)
        // The transparent colour is behind the others, so that it is none of them.
        let colors = indexed.palette + (indexed.transparent == nil ? [] : [0])
        let palette = colors.flatMap { color in [16, 8, 0].map { UInt8(truncatingIfNeeded: color >> $0) } }
        return try encode(
            indexed.indexes, image.size, options.compressionLevel, hasAlpha: false, palette: palette,
            transparent: indexed.transparent)
    }

    /// The pixels without premultiplication, five rows, zlib, and the file twice: libpng's and ours. For an animation
    /// the pixels that were shown before, and the file while its array grows.
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let row = image.width.saturatingMultiply(4).saturatingAdd(1)
        // Stored blocks add five bytes for every 16 KiB.
        let file = row.saturatingMultiply(image.height).saturatingMultiply(1_001) / 1_000
        let frames = animates(format) ? image.frameCount : 1
        return file.saturatingMultiply(frames > 1 ? frames.saturatingMultiply(3).saturatingAdd(4) : 2).saturatingAdd(
            image.hasAlpha ? image.size.bitmapByteCount : 0
        )
        .saturatingAdd(row.saturatingMultiply(6)).saturatingAdd(524_288)
    }
}
