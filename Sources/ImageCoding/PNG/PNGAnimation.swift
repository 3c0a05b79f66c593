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
            let length = bytes.bigEndian(at: offset)
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
                announcedCount = bytes.bigEndian(at: payload)
                loopCount = bytes.bigEndian(at: payload + 4)
            case "PLTE", "tRNS": palette.append(offset..<chunk.upperBound)
            case "fcTL":
                if let current, !current.chunks.isEmpty { frames.append(current) }
                guard length >= 4, bytes.bigEndian(at: payload) == sequence,
                    let frame = PNGFrame(bytes, control: payload..<end, canvas: canvas)
                else { return nil }
                current = frame
                sequence += 1
            case "IDAT":
                // The default picture is a frame if a control precedes it.
                if current?.rect.size == canvas || current == nil { current?.chunks.append(chunk) } else { return nil }
            case "fdAT":
                guard length >= 4, current != nil, bytes.bigEndian(at: payload) == sequence else {
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

/// One frame of an animated PNG.
///
/// - Source: PNG (third edition), section 11.3.6.
struct PNGFrame: Sendable {
    /// The place of the frame on the canvas.
    let rect: PixelRect
    /// How long it is shown, in milliseconds.
    let milliseconds: Int
    let disposal: FrameCanvas.Disposal
    /// Whether it is blended over the canvas, instead of replacing its pixels.
    let isBlended: Bool
    /// The chunks of its data, from the type to the check sum.
    var chunks: [Range<Int>] = []

    /// Creates a frame from its control chunk.
    ///
    /// - Returns: `nil` for a frame outside the canvas, and for values that do not exist.
    init?(_ bytes: [UInt8], control payload: Range<Int>, canvas: PixelSize) {
        guard payload.count >= 26 else { return nil }
        let start = payload.lowerBound
        func number(_ offset: Int) -> Int { bytes.bigEndian(at: start + offset) }
        rect = PixelRect(x: number(12), y: number(16), width: number(4), height: number(8))
        let (delay, unit) = (bytes.bigEndian(2, at: start + 20), bytes.bigEndian(2, at: start + 22))
        milliseconds = delay * 1_000 / (unit == 0 ? 100 : unit)
        guard rect.width > 0, rect.height > 0, rect.x + rect.width <= canvas.width,
            rect.y + rect.height <= canvas.height, let disposal = FrameCanvas.Disposal(rawValue: bytes[start + 24]),
            bytes[start + 25] <= 1
        else { return nil }
        self.disposal = disposal
        isBlended = bytes[start + 25] == 1
    }

    /// The bytes of the frame's data.
    var byteCount: Int { chunks.reduce(0) { $0 + $1.count } }

    /// A PNG of this frame alone.
    ///
    /// - Parameters:
    ///   - bytes: The file.
    ///   - palette: The chunks of the palette and its transparency, whole.
    ///   - checks: Whether the check sums of the data must be right.
    /// - Throws: `.malformed` for a wrong check sum.
    func file(_ bytes: [UInt8], palette: [Range<Int>], checks: Bool) throws(ImageError) -> [UInt8] {
        var file = PNGHeader.signature
        file.reserveCapacity(byteCount + 1_200)
        let size = PNGChunk.bigEndian(UInt32(rect.width)) + PNGChunk.bigEndian(UInt32(rect.height))
        PNGChunk.append("IHDR", [size[...], bytes[24..<29]], to: &file)
        for chunk in palette { file += bytes[chunk] }
        var parts = [ArraySlice<UInt8>]()
        for chunk in chunks {
            let end = chunk.upperBound - 4
            guard !checks || Int(PNGChunk.checkSum(bytes[chunk.lowerBound..<end])) == bytes.bigEndian(at: end) else {
                throw ImageError(code: .malformed, message: "png: a check sum is wrong.", byteOffset: end)
            }
            // The type, and in all frames but the default picture a sequence number.
            let isSequenced = bytes[chunk.lowerBound] == UInt8(ascii: "f")
            parts.append(bytes[chunk.lowerBound + (isSequenced ? 8 : 4)..<end])
        }
        PNGChunk.append("IDAT", parts, to: &file)
        PNGChunk.append("IEND", [], to: &file)
        return file
    }
}
