// SPDX-License-Identifier: MIT
import CLibwebp

/// Writes animations with libwebp's animation encoder, which stores only the changes between frames.
enum WebPAnimationWriter {
    /// Encodes all frames of a picture.
    ///
    /// - Throws: ``ImageError``; `CancellationError`.
    static func encode(_ image: DecodedImage, config: WebPConfig) throws -> [UInt8] {
        var options = WebPAnimEncoderOptions()
        guard unsafe WebPAnimEncoderOptionsInit(&options) != 0 else { throw WebPCoder.wrongLibrary }
        options.anim_params.loop_count = Int32(min(image.loopCount, 65_535))
        guard let encoder = unsafe WebPAnimEncoderNew(Int32(image.width), Int32(image.height), &options) else {
            throw WebPCoder.noMemory
        }
        defer { unsafe WebPAnimEncoderDelete(encoder) }
        var config = config
        var start = 0
        for index in 0..<image.frameCount {
            try Task.checkCancellation()
            let frame = try image.frame(at: index)
            try unsafe WebPPicture.withPicture(frame.pixels, of: image, inARGB: true) { picture in
                let isDone = unsafe WebPAnimEncoderAdd(encoder, picture, Int32(clamping: start), &config) != 0
                try unsafe WebPPicture.check(isDone, picture.pointee.error_code)
            }
            // The duration of a frame has 24 bits of milliseconds and is at least one.
            start += min(max(1, FrameTiming.milliseconds(frame.duration)), 0xFF_FFFF)
        }
        guard unsafe WebPAnimEncoderAdd(encoder, nil, Int32(clamping: start), nil) != 0 else {
            throw ImageError(code: .tooLarge, message: "webp: the animation's end could not be written.")
        }
        var data = unsafe WebPData()
        unsafe WebPDataInit(&data)
        defer { unsafe WebPDataClear(&data) }
        guard unsafe WebPAnimEncoderAssemble(encoder, &data) != 0 else { throw WebPCoder.noMemory }
        return unsafe [UInt8](UnsafeBufferPointer(start: data.bytes, count: data.size))
    }
}
