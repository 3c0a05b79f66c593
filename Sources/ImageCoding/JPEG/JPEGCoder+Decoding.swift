// SPDX-License-Identifier: MIT
import CImageShims

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
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        try decode(bytes, options, DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let header = try JPEGHeader(
            bytes, maximumMetadataByteCount: limits.maximumMetadataByteCount, work: work)
        try limits.checkSides(header.size.width, header.size.height)
        let plan = JPEGCoder.plan(for: header, options)
        try limits.check(stored: header.size, drawn: plan.drawn)
        try limits.check(byteCount: JPEGCoder.decodingByteCount(header, plan))
        var damage: Int32 = 0
        let grey = PixelColor(red: 128, green: 128, blue: 128)
        let (pixels, _) = try unsafe plan.draw(work, inOrder: true, premultiplies: false, missing: grey) {
            output, rows in
            var failure = swi_failure()
            let status = unsafe work.lend { look, context in
                let turn = plan.turnWhileDrawing
                return unsafe withUnsafeMutablePointer(to: &damage) { damage in
                    unsafe DecodedRows.lend(rows) { drew, rowsContext in
                        let all = unsafe swi_decode_request(
                            width: UInt32(header.size.width), height: UInt32(header.size.height), largest: 0,
                            capacity: rows?.capacity ?? plan.drawn.height, drew: drew, rows: rowsContext, look: look,
                            context: context, fail_on: ShimStatus.failOn(options.failOn), damage: damage)
                        var request = unsafe swi_jpeg_decode_request(
                            all: all, denominator: Int32(plan.denominator),
                            max_scans: Int32(clamping: limits.maximumScanCount), start: turn.start, right: turn.right,
                            down: turn.down)
                        return unsafe bytes.withUnsafeBufferPointer { input in
                            // Neither is empty: the header was read, and both sides are at least one pixel.
                            unsafe swi_jpeg_decode(
                                input.baseAddress!, input.count, &request, output.baseAddress!, &failure)
                        }
                    }
                }
            }
            try ShimStatus.check(status, failure, format: .jpeg, work: work)
        }
        return DecodedImage(
            plan.result, .held([DecodedImage.Frame(pixels: pixels)]), hasAlpha: false,
            damage: ImageDamage(rawValue: Int(damage)))
    }

    static func header(of bytes: [UInt8], _ options: DecodeOptions) throws -> JPEGHeader {
        try JPEGHeader(
            bytes, maximumMetadataByteCount: options.limits.maximumMetadataByteCount,
            work: DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    /// Plans to draw at the smallest size that is enough for the result.
    static func plan(for header: JPEGHeader, _ options: DecodeOptions) -> FramePlan {
        FramePlan(
            stored: header.size, denominators: [8, 4, 2], orientation: header.orientation,
            thumbnail: options.thumbnail, maximumPixelCount: options.limits.maximumPixelCount,
            turnsWhileDrawing: true)
    }
}
