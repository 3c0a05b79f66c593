// SPDX-License-Identifier: MIT
/// The canvas on which the frames of a WebP are drawn, one over the other.
///
/// libwebp's own animation decoder keeps two canvases and draws a frame of any size without a pause.
///
/// - Source: RFC 9649, section 2.7.1.1, as browsers read it: the canvas starts transparent.
struct WebPCanvas: FrameCanvas {
    private let size: PixelSize
    /// RGBA, premultiplied; empty before the first frame.
    private(set) var pixels: [UInt8] = []
    private var cleared: PixelRect?

    init(size: PixelSize) { self.size = size }

    /// Clears the place of the frame before if it requires that, and draws a frame.
    mutating func draw(_ frame: WebPFrame, of bytes: [UInt8], work: DecodingWork) throws {
        // The picture so far is passed on, so the next frame is drawn on a copy.
        try work.look(pixels: size.pixelCount)
        if pixels.isEmpty { pixels = try Bitmap.clear(size, work) }
        if let cleared { clear(cleared) }
        cleared = frame.isCleared ? frame.rect : nil
        if frame.isBlended, frame.bitstream.mayHaveAlpha {
            try blend(frame, of: bytes, work)
        } else {
            try overwrite(frame, of: bytes, work)
        }
    }

    private mutating func overwrite(_ frame: WebPFrame, of bytes: [UInt8], _ work: DecodingWork) throws {
        let stride = size.width * 4
        let rect = frame.rect
        try unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            let first = rect.y * stride + rect.x * 4
            let last = first + (rect.height - 1) * stride + rect.width * 4
            let place = unsafe UnsafeMutableBufferPointer(rebasing: pixels[first..<last])
            _ = try unsafe frame.bitstream.draw(
                bytes, size: frame.size, as: frame.size, to: place, stride: stride, work: work)
            guard frame.bitstream.mayHaveAlpha else { return }
            for row in 0..<rect.height {
                if row % 64 == 0 { try work.look() }
                let line = unsafe UnsafeMutableBufferPointer(
                    rebasing: place[row * stride..<row * stride + rect.width * 4])
                _ = unsafe Bitmap.premultiply(line)
            }
        }
    }

    private mutating func blend(_ frame: WebPFrame, of bytes: [UInt8], _ work: DecodingWork) throws {
        let rect = frame.rect
        let drawn = try unsafe Bitmap.draw(frame.size) { output in
            _ = try unsafe frame.bitstream.draw(
                bytes, size: frame.size, as: frame.size, to: output, stride: rect.width * 4, work: work)
        }
        let stride = size.width * 4
        try unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            try unsafe drawn.withUnsafeBufferPointer { drawn in
                for row in 0..<rect.height {
                    if row % 64 == 0 { try work.look() }
                    let start = (rect.y + row) * stride + rect.x * 4
                    unsafe Bitmap.blend(
                        UnsafeBufferPointer(rebasing: drawn[row * rect.width * 4..<(row + 1) * rect.width * 4]),
                        over: UnsafeMutableBufferPointer(rebasing: pixels[start..<start + rect.width * 4]))
                }
            }
        }
    }

    private mutating func clear(_ rect: PixelRect) {
        for row in rect.y..<rect.y + rect.height {
            let start = (row * size.width + rect.x) * 4
            for index in start..<start + rect.width * 4 { pixels[index] = 0 }
        }
    }
}
