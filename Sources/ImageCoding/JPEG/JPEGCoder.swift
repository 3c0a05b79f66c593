// SPDX-License-Identifier: MIT
import CImageShims

/// Reads and writes JPEG with libjpeg-turbo.
///
/// Reads baseline, extended and progressive files of 8 bits a sample: grey, YCbCr, RGB, and CMYK or YCCK, which are
/// read as inverted, as Adobe writes them and browsers read them, and converted with their profile as they are drawn.
/// Other colours are converted by ``ImageCoders``.
struct JPEGCoder: WatchedDecoding, ImageEncoding {
    /// Whether the format is JPEG.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .jpeg }

    /// Whether the format is JPEG.
    func canEncode(_ format: ImageFormat) -> Bool { format == .jpeg }

    /// Always.
    var leavesColorProfile: Bool { true }

    /// Always.
    var takesMetadata: Bool { true }

    /// Never: the format has one frame.
    func animates(_ format: EncodedFormat) -> Bool { false }

    /// Reads the markers before the first scan.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try JPEGHeader(bytes, options)
        return ImageProperties(.jpeg, stored: header.size, orientation: header.orientation, hasAlpha: false)
    }
}

extension JPEGCoder {
    /// Encodes the first frame, 4:2:0, with alpha laid over the background.
    ///
    /// **Cancellation**: checked for every row of blocks in every pass.
    ///
    /// - Throws: ``ImageError`` with `.tooLarge` beyond 65,500 pixels a side; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        try image.checkSides(atMost: 65_500, of: "A JPEG")
        let options = format.options
        let pixels = image.hasAlpha ? try Bitmap.flattened(image.pixels, on: options.background) : image.pixels
        var request = swi_jpeg_encode_request(
            width: Int32(image.width), height: Int32(image.height), quality: Int32(options.quality),
            progressive: options.isProgressive ? 1 : 0,
            optimize_coding: JPEGCoder.optimizesCoding(image.size, options) ? 1 : 0, should_stop: Shim.shouldStop)
        return try unsafe Shim.encode(.jpeg) { unsafe swi_jpeg_encode(pixels, &request, $0, $1) }
    }

    /// Whether the encoder makes its own tables, for which it holds all coefficients until the last row has come.
    private static func optimizesCoding(_ size: PixelSize, _ options: EncodeOptions) -> Bool {
        options.isProgressive || options.optimizesCoding ?? (size.pixelCount <= 1 << 20)
    }
}

extension JPEGCoder {
    /// Decodes a JPEG.
    ///
    /// libjpeg draws a thumbnail at a half, a quarter or an eighth, with sides of at least one and a half times those
    /// of the result, and the rest is resampled.
    ///
    /// A file without its last pixels is an error unless ``DecodeOptions/failOn`` is ``DamagePolicy/never``: then they
    /// are grey. Broken data in a scan are damage, or an error with ``DamagePolicy/anyDamage``.
    ///
    /// **Cancellation**: checked for every row of blocks in every scan, and every 256 KiB of the file.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let header = try JPEGHeader(bytes, options, work)
        try options.limits.checkSides(header.size)
        let plan = JPEGCoder.plan(for: header, options)
        try plan.check(header.size, options.limits)
        try options.limits.check(byteCount: JPEGCoder.decodingByteCount(header, plan))
        return try unsafe plan.draw(work, missing: PixelColor(red: 128, green: 128, blue: 128)) { output, rows in
            try unsafe Shim.draw(
                .jpeg, bytes, header.size, height: plan.drawn.height, to: output, rows, options, work
            ) { bytes, count, all, pixels, failure in
                let turn = plan.turnWhileDrawing
                var request = unsafe swi_jpeg_decode_request(
                    all: all.pointee, denominator: Int32(plan.denominator),
                    max_scans: Int32(clamping: options.limits.maximumScanCount), start: turn.start, right: turn.right,
                    down: turn.down)
                return unsafe swi_jpeg_decode(bytes, count, &request, pixels, failure)
            }
        }
    }

    /// Plans to draw at the smallest size that is enough for the result.
    static func plan(
        for header: JPEGHeader, _ options: DecodeOptions, turnsWhileDrawing: Bool = true
    ) -> FramePlan {
        FramePlan(
            header.size, orientation: header.orientation, options, denominators: [8, 4, 2],
            turnsWhileDrawing: turnsWhileDrawing)
    }
}

extension JPEGCoder {
    /// The bitmap or, for a thumbnail, some rows of it; libjpeg's rows, the coefficients of a file of several scans,
    /// and what the `FramePlan` adds.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try JPEGHeader(bytes, options)
        return JPEGCoder.decodingByteCount(header, JPEGCoder.plan(for: header, options))
    }

    static func decodingByteCount(_ header: JPEGHeader, _ plan: FramePlan) -> Int {
        plan.drawingByteCount(inOrder: true).saturatingAdd(plan.finishingByteCount)
            .saturatingAdd(header.rowByteCount).saturatingAdd(header.coefficientByteCount)
    }

    /// Alpha laid over the background, the coefficients if they are held, and the file twice: libjpeg's and ours.
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let options = format.options
        let size = options.maximumSize.map { ResizeTransformer(size: $0).resultSize(for: image.size) } ?? image.size
        // 4:2:0 has one and a half samples a pixel. Two bytes each are about what a file of the best quality takes.
        let file = size.pixelCount.saturatingMultiply(options.quality > 90 ? 3 : 2).saturatingAdd(65_536)
        // Six blocks of 64 coefficients of two bytes in each square of 16 pixels, whole squares always.
        let coefficients = ((size.width + 15) / 16).saturatingMultiply((size.height + 15) / 16).saturatingMultiply(768)
        return file.saturatingMultiply(2)
            .saturatingAdd(image.hasAlpha ? size.bitmapByteCount : 0)
            .saturatingAdd(JPEGCoder.optimizesCoding(size, options) ? coefficients : 0)
            .saturatingAdd(max(size.width, size.height).saturatingMultiply(200))
    }
}

extension JPEGHeader {
    private var largestFactor: PixelSize {
        PixelSize(width: components.map(\.width).max() ?? 1, height: components.map(\.height).max() ?? 1)
    }

    /// Two bytes for each coefficient of each component in whole blocks, always of the full size; none in a single
    /// scan.
    ///
    /// - Source: libjpeg, jdcoefct.c: `jinit_d_coef_controller`.
    var coefficientByteCount: Int {
        guard hasSeveralScans else { return 0 }
        let largest = largestFactor
        func blocks(_ side: Int, _ factor: Int, of largest: Int) -> Int {
            let blocks = (side * factor + largest * 8 - 1) / (largest * 8)
            return (blocks + factor - 1) / factor * factor
        }
        return components.reduce(0) { sum, factors in
            sum + blocks(size.width, factors.width, of: largest.width)
                * blocks(size.height, factors.height, of: largest.height) * 64 * 2
        }
    }

    /// The rows of blocks that libjpeg upsamples from, each with its neighbours, and its tables.
    var rowByteCount: Int { (size.width + 32) * max(components.count, 1) * largestFactor.height * 12 + 65_536 }
}
