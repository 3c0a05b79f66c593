// SPDX-License-Identifier: MIT
#if JPEGXL
import CImageShims

/// Reads JPEG XL, still and animated, with libjxl. Built with the package trait `JPEGXL`.
///
/// Reads bare codestreams and containers, turned as they say. Samples of any depth become eight bits. The frames of an
/// animation are all in memory; ``DecodeOptions/framesOnDemand`` changes nothing.
struct JPEGXLCoder: ImageDecoding {
    /// Creates a coder.
    init() {}

    /// Whether the format is JPEG XL.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .jpegXL }

    /// Reads the header and, of an animation, those of its frames. The header does not tell whether pixels are exact.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try JPEGXLHeader(bytes, frameLimit: Int(Int32.max))
        return ImageProperties(
            format: .jpegXL, width: header.size.width, height: header.size.height,
            frameCount: header.isComplete ? header.frameCount : nil, hasAlpha: header.hasAlpha)
    }

    /// The bitmap, every frame kept, what libjxl holds, and what the `FramePlan` adds.
    ///
    /// A file may hide up to four more frames that others refer to, and libjxl before 0.11 cannot be told a limit: such
    /// a file takes up to three times as much.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try JPEGXLCoder.header(of: bytes, options)
        return header.decodingByteCount(
            JPEGXLCoder.plan(for: header, options), frames: options.firstFrameOnly ? 1 : header.frameCount)
    }

    /// Decodes a JPEG XL.
    ///
    /// A file without its last pixels is an error unless ``DecodeOptions/failOn`` is ``DamagePolicy/never``: then it
    /// has those that are there, and an animation the frames before.
    ///
    /// **Cancellation**: checked for every group of 256 by 256 pixels.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        let work = DecodingWork(limits: options.limits, byteCount: bytes.count)
        let header = try JPEGXLCoder.header(of: bytes, options)
        let frames = options.firstFrameOnly ? 1 : header.frameCount
        try options.limits.check(width: header.size.width, height: header.size.height, frames: frames)
        let plan = JPEGXLCoder.plan(for: header, options)
        try options.limits.check(byteCount: header.decodingByteCount(plan, frames: frames))
        if frames > 1 { return try JPEGXLCoder.decodeFrames(bytes, header, plan, options, work) }
        var damage = ImageDamage()
        let (pixels, _) = try unsafe plan.draw(work, inOrder: false, premultiplies: false, missing: .clear) {
            damage = try unsafe FormatShim.draw(bytes, header.size, .jpegXL, options, work, to: $0, $1) {
                unsafe swi_jxl_decode($0, $1, $2, $3, nil, nil, $4)
            }
        }
        let mayBeClear = header.hasAlpha || damage.contains(.missingPixels)
        return DecodedImage(
            plan.result, .held([DecodedImage.Frame(pixels: pixels)]),
            hasAlpha: mayBeClear && !Bitmap.isOpaque(pixels), damage: damage)
    }

    /// Draws each frame on the same bitmap and keeps what becomes of it.
    private static func decodeFrames(
        _ bytes: [UInt8], _ header: JPEGXLHeader, _ plan: FramePlan, _ options: DecodeOptions, _ work: DecodingWork
    ) throws -> DecodedImage {
        let frames = JPEGXLFrames(plan, work)
        var damage = ImageDamage()
        _ = try unsafe Bitmap.draw(header.size) { output in
            unsafe frames.canvas = UnsafeBufferPointer(output)
            damage = try unsafe FormatShim.draw(bytes, header.size, .jpegXL, options, work, to: output, nil) {
                bytes, count, request, pixels, failure in
                unsafe frames.lend { unsafe swi_jxl_decode(bytes, count, request, pixels, $0, $1, failure) }
            }
            if let error = frames.error { throw error }
        }
        return DecodedImage(
            plan.result, .held(frames.held), loopCount: header.loopCount, hasAlpha: frames.hasAlpha, damage: damage)
    }

    private static func header(of bytes: [UInt8], _ options: DecodeOptions) throws -> JPEGXLHeader {
        // One more than the limit, to notice too many.
        let most = options.firstFrameOnly ? 1 : max(options.limits.maximumFrameCount, 1)
        return try JPEGXLHeader(bytes, frameLimit: min(most, bytes.count))
    }

    private static func plan(for header: JPEGXLHeader, _ options: DecodeOptions) -> FramePlan {
        FramePlan(stored: header.size, orientation: .up, thumbnail: options.thumbnail)
    }
}
#endif
