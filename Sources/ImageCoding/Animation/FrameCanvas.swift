// SPDX-License-Identifier: MIT
/// The canvas of an animation, on which frames are drawn one over the other.
///
/// - Source: GIF89a, section 23; PNG (third edition), section 11.3.6; RFC 9649, section 2.7.1.1; all as browsers read
///   them: the canvas starts transparent, and the background is transparent, too.
struct FrameCanvas: Sendable {
    /// What happens to a frame before the next one is drawn; numbered as in PNG.
    enum Disposal: UInt8 {
        case keep = 0
        case clear = 1
        case restore = 2
    }

    let size: PixelSize
    /// RGBA, premultiplied; empty before the first frame, so that a header alone takes no memory.
    var pixels: [UInt8] = []
    /// Whether others have the pixels, too, so that the next frame is drawn on a copy.
    var isShared = false
    private var last: (rect: PixelRect, disposal: Disposal)?
    /// The pixels below the last frame, if they will be restored.
    private var saved: [UInt8] = []

    init(size: PixelSize) { self.size = size }

    /// The bytes of all pixels that it holds.
    var byteCount: Int { pixels.count + saved.count }

    /// Disposes of the frame before, and prepares for the next one.
    mutating func begin(_ rect: PixelRect, _ disposal: Disposal, _ work: DecodingWork) throws {
        // Most often the picture so far was passed on, and is copied.
        try work.look(pixels: size.pixelCount)
        let isFirst = pixels.isEmpty
        if isFirst { pixels = try Bitmap.clear(size, work) }
        try dispose(work)
        // There is nothing to restore below the first frame.
        let disposal = isFirst && disposal == .restore ? .clear : disposal
        last = (rect, disposal)
        saved = []
        if disposal == .restore {
            saved = try Bitmap.cut(rect, from: pixels, size)
            isShared = isShared || saved.count == pixels.count
        }
        try separate(work)
    }

    /// Copies pixels that others have.
    private mutating func separate(_ work: DecodingWork) throws {
        guard isShared else { return }
        pixels = try Bitmap.copy(pixels, size, work)
        isShared = false
    }

    /// Removes the frame before, if its disposal requires it.
    private mutating func dispose(_ work: DecodingWork) throws {
        guard let last, last.disposal != .keep else { return }
        try separate(work)
        // Handed over, so that nothing is copied.
        var canvas = PremultipliedCanvas(size, pixels)
        pixels = []
        if last.disposal == .clear {
            canvas.fill(last.rect, with: .clear)
        } else {
            try canvas.replace(last.rect, by: saved)
        }
        pixels = canvas.pixels
    }

    /// Draws a frame that lies within the canvas.
    ///
    /// - Parameters:
    ///   - frame: Its pixels, not premultiplied.
    ///   - isBlended: Whether they are blended over the canvas, instead of replacing its pixels.
    mutating func draw(_ frame: [UInt8], in rect: PixelRect, isBlended: Bool, _ work: DecodingWork) throws {
        let (rows, length) = (rect.rows(in: size), rect.width * 4)
        try unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            try unsafe frame.withUnsafeBufferPointer { frame in
                for (index, row) in rows.enumerated() {
                    if index % 64 == 0 { try work.look() }
                    let target = unsafe UnsafeMutableBufferPointer(rebasing: pixels[row])
                    if !isBlended { unsafe target.update(repeating: 0) }
                    unsafe Bitmap.blend(
                        UnsafeBufferPointer(rebasing: frame[index * length..<(index + 1) * length]), over: target)
                }
            }
        }
    }
}
