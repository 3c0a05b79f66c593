// SPDX-License-Identifier: MIT
import CImageShims

extension PNGCoder {
    /// Decodes a PNG.
    ///
    /// A file without its last pixels, or with a wrong checksum, is an error unless ``DecodeOptions/failOn`` is
    /// ``DamagePolicy/never``: then the missing pixels are transparent.
    ///
    /// **Cancellation**: checked every 65,536 pixels, every 32 KiB of the file and every 4,096 chunks.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        try decode(bytes, options, DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let limits = options.limits
        let header = try PNGHeader(
            bytes, maximumMetadataByteCount: limits.maximumMetadataByteCount, work: work)
        try limits.check(width: header.size.width, height: header.size.height)
        let plan = PNGCoder.plan(for: header, thumbnail: options.thumbnail)
        if let animation = try PNGCoder.animation(of: bytes, header, options, work) {
            return try PNGCoder.decode(animation, bytes, header, plan, options, work)
        }
        try limits.check(byteCount: PNGCoder.decodingByteCount(header, plan))
        var damage = ImageDamage()
        let (pixels, hasAlpha) = try unsafe plan.draw(
            work, inOrder: !header.isInterlaced, premultiplies: header.hasAlpha || options.failOn == .never,
            missing: .clear
        ) { output, rows in
            damage = try unsafe PNGCoder.draw(bytes, header.size, to: output, rows, options.failOn, work)
        }
        return DecodedImage(
            plan.result, .held([DecodedImage.Frame(pixels: pixels)]), hasAlpha: hasAlpha, damage: damage)
    }

    /// Draws RGBA rows, not premultiplied.
    ///
    /// - Parameter rows: What the output belongs to, if it has no room for all rows.
    static func draw(
        _ bytes: [UInt8], _ size: PixelSize, to output: UnsafeMutableBufferPointer<UInt8>, _ rows: DecodedRows?,
        _ failOn: DamagePolicy, _ work: DecodingWork
    ) throws -> ImageDamage {
        var failure = swi_failure()
        var bits: Int32 = 0
        let status = unsafe work.lend { look, context in
            unsafe withUnsafeMutablePointer(to: &bits) { bits in
                unsafe DecodedRows.lend(rows) { drew, rowsContext in
                    var request = unsafe swi_decode_request(
                        width: UInt32(size.width), height: UInt32(size.height), largest: 0,
                        capacity: rows?.capacity ?? size.height, drew: drew, rows: rowsContext, look: look,
                        context: context, fail_on: ShimStatus.failOn(failOn), damage: bits)
                    return unsafe bytes.withUnsafeBufferPointer { input in
                        // Neither is empty: the header was read, and both sides are at least one pixel.
                        unsafe swi_png_decode(
                            input.baseAddress!, input.count, &request, output.baseAddress!, &failure)
                    }
                }
            }
        }
        try ShimStatus.check(status, failure, format: .png, work: work)
        return ImageDamage(rawValue: Int(bits))
    }

    static func header(of bytes: [UInt8], _ options: DecodeOptions) throws -> PNGHeader {
        try PNGHeader(
            bytes, maximumMetadataByteCount: options.limits.maximumMetadataByteCount,
            work: DecodingWork(limits: options.limits, byteCount: bytes.count))
    }

    static func plan(for header: PNGHeader, thumbnail: ResizeTransformer?) -> FramePlan {
        FramePlan(stored: header.size, orientation: header.orientation, thumbnail: thumbnail)
    }
}
