// SPDX-License-Identifier: MIT
#if JPEGXL
import CImageShims

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
    private let plan: FramePlan
    private let resampler: Resampler?
    private let work: DecodingWork

    init(_ plan: FramePlan, _ work: DecodingWork) {
        self.plan = plan
        self.work = work
        resampler = plan.resampler()
    }

    /// Keeps the frame on the canvas.
    ///
    /// - Returns: Whether more frames are wanted.
    private func receive(milliseconds: Int) -> Bool {
        do {
            let drawn = unsafe [UInt8](canvas)
            hasAlpha = hasAlpha || !Bitmap.isOpaque(drawn)
            let pixels = try work.excluding { try plan.finish(drawn, resampler) }
            held.append(
                DecodedImage.Frame(pixels: pixels, duration: FrameTiming.duration(milliseconds: milliseconds)))
            return true
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
