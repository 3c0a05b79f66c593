// SPDX-License-Identifier: MIT
/// The frames of an animated PNG, found without inflating anything.
///
/// - Source: PNG (third edition), sections 4.9 and 11.3.6.
struct PNGAnimation: Sendable {
    /// The frames with data, whole ones alone.
    private(set) var frames: [PNGFrame] = []
    /// How often it is played; 0 forever.
    private(set) var loopCount = 0
    /// The number of frames that the file announces.
    private(set) var announcedCount = 0
    /// The chunks of the palette and its transparency, whole.
    private(set) var palette: [Range<Int>] = []
    /// Whether the file was read to its end.
    private(set) var isComplete = false

    /// Creates an animation from the chunks, as far as there are bytes.
    ///
    /// - Parameters:
    ///   - bytes: The file, whose header was read.
    ///   - frameLimit: Where to stop.
    ///   - work: Called between chunks.
    /// - Returns: `nil` when the chunks break the rules of animations: then the default picture is all.
    /// - Throws: What `work` throws.
    init?(_ bytes: [UInt8], canvas: PixelSize, frameLimit: Int, work: DecodingWork) throws {
        var offset = 33
        var sequence = 0
        var walk = work.walk()
        var current: PNGFrame?
        while offset + 12 <= bytes.count, frames.count < frameLimit {
            try walk.reach(offset)
            let length = PNGHeader.number(in: bytes, at: offset)
            let payload = offset + 8
            // A chunk without its end leaves its frame without data.
            guard length <= bytes.count - payload - 4 else {
                current = nil
                break
            }
            let (chunk, end) = (offset + 4..<payload + length + 4, payload + length)
            switch String(decoding: bytes[offset + 4..<payload], as: UTF8.self) {
            case "acTL":
                guard length >= 8 else { return nil }
                announcedCount = PNGHeader.number(in: bytes, at: payload)
                loopCount = PNGHeader.number(in: bytes, at: payload + 4)
            case "PLTE", "tRNS": palette.append(offset..<chunk.upperBound)
            case "fcTL":
                if let current, !current.chunks.isEmpty { frames.append(current) }
                guard length >= 4, PNGHeader.number(in: bytes, at: payload) == sequence,
                    let frame = PNGFrame(bytes, control: payload..<end, canvas: canvas)
                else { return nil }
                current = frame
                sequence += 1
            case "IDAT":
                // The default picture is a frame if a control precedes it.
                if current?.size == canvas || current == nil { current?.chunks.append(chunk) } else { return nil }
            case "fdAT":
                guard length >= 4, current != nil, PNGHeader.number(in: bytes, at: payload) == sequence else {
                    return nil
                }
                current?.chunks.append(chunk)
                sequence += 1
            case "IEND": isComplete = true
            default: break
            }
            if isComplete { break }
            offset = chunk.upperBound
        }
        if let current, !current.chunks.isEmpty, frames.count < frameLimit { frames.append(current) }
        guard announcedCount > 0, !frames.isEmpty || !isComplete else { return nil }
    }
}

/// The canvas on which the frames of a PNG are drawn, one over the other.
struct PNGCanvas: FrameCanvas {
    private let size: PixelSize
    /// RGBA, premultiplied; empty before the first frame.
    private(set) var pixels: [UInt8] = []
    private var last: (rect: PixelRect, disposal: PNGFrame.Disposal)?
    /// The pixels below the last frame, if they will be restored.
    private var saved: [UInt8] = []

    init(size: PixelSize) { self.size = size }

    /// Disposes of the frame before, and draws a frame.
    ///
    /// - Parameters:
    ///   - frame: The place and the rules of the frame.
    ///   - drawn: Its pixels, not premultiplied.
    mutating func draw(_ frame: PNGFrame, _ drawn: [UInt8], work: DecodingWork) throws {
        // The picture so far is passed on, so the next frame is drawn on a copy.
        try work.look(pixels: size.pixelCount)
        let isFirst = pixels.isEmpty
        if isFirst { pixels = try Bitmap.clear(size, work) }
        dispose()
        // There is nothing to restore below the first frame.
        let disposal = isFirst && frame.disposal == .restore ? .clear : frame.disposal
        last = (frame.rect, disposal)
        saved = []
        if disposal == .restore { for row in rows(of: frame.rect) { saved += pixels[row] } }
        let rows = rows(of: frame.rect)
        let width = frame.rect.width * 4
        try unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            try unsafe drawn.withUnsafeBufferPointer { drawn in
                for (index, row) in rows.enumerated() {
                    if index % 64 == 0 { try work.look() }
                    let source = unsafe UnsafeBufferPointer(rebasing: drawn[index * width..<(index + 1) * width])
                    let target = unsafe UnsafeMutableBufferPointer(rebasing: pixels[row])
                    if !frame.isBlended { unsafe target.update(repeating: 0) }
                    unsafe Bitmap.blend(source, over: target)
                }
            }
        }
    }

    private mutating func dispose() {
        guard let last, last.disposal != .keep else { return }
        var offset = 0
        for row in rows(of: last.rect) {
            if last.disposal == .clear {
                for index in row { pixels[index] = 0 }
            } else {
                pixels.replaceSubrange(row, with: saved[offset..<offset + row.count])
                offset += row.count
            }
        }
    }

    /// The bytes of each row of a rectangle on the canvas.
    private func rows(of rect: PixelRect) -> [Range<Int>] {
        (rect.y..<rect.y + rect.height).map { y in
            let start = (y * size.width + rect.x) * 4
            return start..<start + rect.width * 4
        }
    }
}
