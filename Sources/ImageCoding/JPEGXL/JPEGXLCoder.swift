// SPDX-License-Identifier: MIT
#if JPEGXL
import CImageShims

/// Reads JPEG XL, still and animated, with libjxl. Built with the package trait `JPEGXL`.
///
/// Reads bare codestreams and containers, turned as they say. Samples of any depth become eight bits. The frames of an
/// animation are all in memory; ``DecodeOptions/framesOnDemand`` changes nothing.
struct JPEGXLCoder: WatchedDecoding {
    /// Whether the format is JPEG XL.
    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { format == .jpegXL }

    /// Always.
    var leavesColorProfile: Bool { true }

    /// Reads the header and, of an animation, those of its frames. The header does not tell whether pixels are exact.
    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        let header = try JPEGXLHeader(bytes, frameLimit: Int(Int32.max))
        return ImageProperties(
            .jpegXL, stored: header.size, frameCount: header.isComplete ? header.frameCount : nil,
            hasAlpha: header.hasAlpha)
    }

    /// The bitmap, every frame kept, what libjxl holds, and what the `FramePlan` adds.
    ///
    /// A file may hide up to four more frames that others refer to, and libjxl before 0.11 cannot be told a limit: such
    /// a file takes up to three times as much.
    func decodingByteCount(of bytes: [UInt8], options: DecodeOptions) throws -> Int {
        let header = try JPEGXLCoder.header(of: bytes, options)
        return header.decodingByteCount(
            FramePlan(header.size, options), frames: options.frames.count(of: header.frameCount))
    }

    /// Decodes a JPEG XL.
    ///
    /// A file without its last pixels is an error unless ``DecodeOptions/failOn`` is ``DamagePolicy/never``: then it
    /// has those that are there, and an animation the frames before.
    ///
    /// **Cancellation**: checked for every group of 256 by 256 pixels.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
        let header = try JPEGXLCoder.header(of: bytes, options)
        let run = try options.frames.clamped(to: header.frameCount)
        try options.limits.check(header.size, frames: run.count, whole: "A JPEG XL")
        let plan = FramePlan(header.size, options)
        try options.limits.check(byteCount: header.decodingByteCount(plan, frames: run.count))
        if run.upperBound > 1 { return try JPEGXLCoder.decodeFrames(bytes, header, run, plan, options, work) }
        let mayBeClear = header.hasAlpha || options.failOn == .never
        return try unsafe plan.draw(work, inOrder: false, premultiplies: mayBeClear) {
            try unsafe Shim.draw(.jpegXL, bytes, header.size, to: $0, $1, options, work) {
                unsafe swi_jxl_decode($0, $1, $2, $3, nil, nil, $4)
            }
        }
    }

    /// Draws each frame on the same bitmap and keeps what becomes of it.
    private static func decodeFrames(
        _ bytes: [UInt8], _ header: JPEGXLHeader, _ run: Range<Int>, _ plan: FramePlan, _ options: DecodeOptions,
        _ work: DecodingWork
    ) throws -> DecodedImage {
        let frames = JPEGXLFrames(run, plan, work)
        var damage = ImageDamage()
        _ = try unsafe Bitmap.draw(header.size) { output in
            unsafe frames.canvas = UnsafeBufferPointer(output)
            damage = try unsafe Shim.draw(.jpegXL, bytes, header.size, to: output, nil, options, work) {
                bytes, count, request, pixels, failure in
                unsafe frames.lend { unsafe swi_jxl_decode(bytes, count, request, pixels, $0, $1, failure) }
            }
            if let error = frames.error { throw error }
        }
        // The frames may end before the run.
        guard let first = frames.held.first else {
            throw ImageError(code: .truncated, message: "The JPEG XL has no frame \(run.lowerBound).")
        }
        let isStill = run.count == 1
        var image = DecodedImage(
            plan.result, .held(isStill ? [DecodedImage.Frame(pixels: first.pixels)] : frames.held),
            loopCount: isStill ? 0 : header.loopCount, hasAlpha: frames.hasAlpha, damage: damage)
        image.isConverted = plan.colors != nil
        return image
    }

    private static func header(of bytes: [UInt8], _ options: DecodeOptions) throws -> JPEGXLHeader {
        try JPEGXLHeader(bytes, frameLimit: min(options.frameLimit(bytes), bytes.count))
    }
}

/// What the header of a JPEG XL says and, of an animation, the headers of its frames.
struct JPEGXLHeader {
    /// As shown: libjxl turns.
    let size: PixelSize
    let hasAlpha: Bool
    let isAnimated: Bool
    let loopCount: Int
    /// 1 of a still picture; of an animation, up to the limit and one more.
    let frameCount: Int
    /// Whether the file has all of its frames.
    let isComplete: Bool
    private let channelCount: Int

    /// Reads the headers.
    ///
    /// - Parameter frameLimit: The frames that are counted, and one more.
    /// - Throws: ``ImageError``: `.truncated`, `.malformed`.
    init(_ bytes: [UInt8], frameLimit: Int) throws {
        var header = swi_jxl_header()
        try unsafe Shim.call(.jpegXL) {
            unsafe swi_jxl_read_header(bytes, bytes.count, max(frameLimit, 0), &header, $0)
        }
        size = PixelSize(width: Int(header.width), height: Int(header.height))
        hasAlpha = header.has_alpha != 0
        isAnimated = header.is_animated != 0
        loopCount = Int(header.loop_count)
        frameCount = isAnimated ? max(Int(clamping: header.frame_count), 1) : 1
        isComplete = !isAnimated || header.is_complete != 0
        channelCount = Int(header.channels)
    }

    /// The bitmap, the frames that are kept, and what libjxl holds, at most that of a progressive file: four bytes for
    /// each sample of the frame, twice as many of what it is made from, and of an animation as many of frames before.
    func decodingByteCount(_ plan: FramePlan, frames: Int) -> Int {
        let samples = size.pixelCount.saturatingMultiply(max(channelCount, 3)).saturatingMultiply(isAnimated ? 20 : 12)
        let kept = frames > 1 ? plan.result.bitmapByteCount.saturatingMultiply(frames) : 0
        return plan.drawingByteCount(inOrder: false).saturatingAdd(plan.finishingByteCount).saturatingAdd(kept)
            .saturatingAdd(samples).saturatingAdd(12 << 20)
    }
}

/// The frames of an animation as they are drawn, one after the other on the same canvas.
///
/// Safe to use: the canvas is read only while the decode that lends it draws.
@safe final class JPEGXLFrames {
    /// The bitmap that libjxl draws on.
    var canvas = unsafe UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    private(set) var held: [DecodedImage.Frame] = []
    private(set) var hasAlpha = false
    /// Why the frames ended early.
    private(set) var error: (any Error)?
    private var index = 0
    private let run: Range<Int>
    private let plan: FramePlan
    private let resampler: Resampler?
    private let work: DecodingWork

    init(_ run: Range<Int>, _ plan: FramePlan, _ work: DecodingWork) {
        self.run = run
        self.plan = plan
        self.work = work
        resampler = plan.resampler()
    }

    /// Keeps the frame on the canvas, if it is wanted.
    ///
    /// - Returns: Whether more frames are wanted.
    private func receive(milliseconds: Int) -> Bool {
        index += 1
        if index <= run.lowerBound { return true }
        do {
            var drawn = unsafe [UInt8](canvas)
            if try unsafe drawn.withUnsafeMutableBufferPointer({ try unsafe plan.premultiply($0, work) }) {
                hasAlpha = true
            }
            let pixels = try work.excluding { try plan.finish(drawn, resampler) }
            held.append(
                DecodedImage.Frame(pixels: pixels, duration: FrameTiming.duration(milliseconds: milliseconds)))
            return index < run.upperBound
        } catch {
            self.error = error
            return false
        }
    }

    /// Runs a C function with the function and the context that get each frame.
    func lend(_ body: (swi_frame, UnsafeMutableRawPointer) -> Int32) -> Int32 {
        withExtendedLifetime(self) {
            // Kept alive until `body` returns, and used on this thread alone.
            unsafe body(
                { frames, milliseconds in
                    let frames = unsafe Unmanaged<JPEGXLFrames>.fromOpaque(frames).takeUnretainedValue()
                    return frames.receive(milliseconds: milliseconds) ? 0 : 1
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }
}
#endif
