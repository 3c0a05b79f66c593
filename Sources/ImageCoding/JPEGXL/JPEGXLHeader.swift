// SPDX-License-Identifier: MIT
#if JPEGXL
import CImageShims

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
        var failure = swi_failure()
        let status = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe input.baseAddress.map {
                unsafe swi_jxl_read_header($0, input.count, max(frameLimit, 0), &header, &failure)
            } ?? Int32(SWI_TRUNCATED)
        }
        try ShimStatus.check(status, failure, format: .jpegXL)
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
#endif
