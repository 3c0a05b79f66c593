// SPDX-License-Identifier: MIT
/// The properties in the blocks of a GIF, read without decompressing anything.
///
/// - Source: GIF89a, sections 17 to 27; the NETSCAPE2.0 application extension.
struct GIFOutline {
    /// The logical screen, in pixels.
    let size: PixelSize
    /// The number of frames found.
    private(set) var frameCount = 0
    /// The largest frame.
    private(set) var largestFrame = 0
    /// How often the animation is played; 1 without a loop count, 0 forever.
    private(set) var loopCount = 1
    /// The pixels of the first frame, if its rows are stored in four passes, and not from top to bottom; else 0.
    private(set) var interlacedPixels = 0
    /// Whether a frame has a transparent colour or leaves a part of the screen uncovered.
    private(set) var hasAlpha = false
    /// Whether a frame is removed again, so that the pixels below it must be kept.
    private(set) var restoresFrames = false
    /// Whether a frame is cleared again, so that the screen below it shows.
    private(set) var clearsFrames = false
    /// Whether the bytes end before the last frame does.
    private(set) var endsInFrame = false
    /// Where each frame begins, with what precedes it; only if asked for.
    private(set) var places: [Place] = []
    /// The bytes before the first block: header, screen and palette.
    let headerLength: Int
    /// Whether the file was read to its end.
    private(set) var isComplete = false

    /// The place of a frame in the file, its delay, and its own pixels, inside the screen or not.
    struct Place: Sendable {
        let start: Int
        let milliseconds: Int
        let pixelCount: Int
        let cover: FrameCover
    }

    /// The delay of the next frame, in hundredths of a second.
    private var delay = 0
    /// What happens to the next frame, and whether it has a transparent colour.
    private var (disposal, isBlended) = (FrameCanvas.Disposal.keep, false)

    /// Creates an outline from the blocks, as far as there are bytes.
    ///
    /// - Parameters:
    ///   - bytes: The file or its beginning.
    ///   - frameLimit: Where to stop counting frames.
    ///   - recordsPlaces: Whether to note where each frame is, which takes memory.
    ///   - work: Called between blocks.
    /// - Throws: `.truncated` without a whole header, `.malformed`, also for a screen without pixels; what `work`
    ///   throws.
    /// - Complexity: O(number of blocks).
    init(_ bytes: [UInt8], frameLimit: Int, recordsPlaces: Bool = false, work: DecodingWork) throws {
        guard bytes.count >= 13 else {
            throw ImageError(code: .truncated, message: "The GIF ends in its header.", byteOffset: bytes.count)
        }
        func number(at offset: Int) -> Int { bytes.littleEndian(2, at: offset) }
        size = PixelSize(width: number(at: 6), height: number(at: 8))
        guard size.width > 0, size.height > 0 else {
            throw ImageError(code: .malformed, message: "The GIF's screen is \(size) pixels.", byteOffset: 6)
        }
        headerLength = 13 + GIFOutline.paletteLength(bytes[10])
        var offset = headerLength
        var start = offset
        var walk = work.walk()
        while offset < bytes.count, frameCount < frameLimit {
            switch bytes[offset] {
            case 0x21:
                guard offset + 2 < bytes.count else { return }
                readExtension(bytes, at: offset)
                offset += 2
            case 0x2C:
                guard offset + 10 < bytes.count else { return }
                let frame = PixelSize(width: number(at: offset + 5), height: number(at: offset + 7))
                let corner = PixelSize(width: number(at: offset + 1), height: number(at: offset + 3))
                let coversScreen = add(frame, at: corner)
                if frameCount == 1, bytes[offset + 9] & 0x40 != 0 { interlacedPixels = largestFrame }
                if recordsPlaces {
                    places.append(
                        Place(
                            start: start, milliseconds: delay * 10, pixelCount: frame.width * frame.height,
                            cover: FrameCover(isWhole: coversScreen, isOpaque: !isBlended, disposal: disposal)))
                }
                (delay, disposal, isBlended) = (0, .keep, false)
                endsInFrame = true
                offset += 11 + GIFOutline.paletteLength(bytes[offset + 9])
            case 0x3B:
                isComplete = true
                return
            default:
                throw ImageError(
                    code: .malformed, message: "The GIF has a block of an unknown kind.", byteOffset: offset)
            }
            // Both end with a chain of sub-blocks.
            while true {
                guard offset < bytes.count else { return }
                try walk.reach(offset)
                let length = Int(bytes[offset])
                offset += 1 + length
                if length == 0 { break }
            }
            if endsInFrame { start = offset }
            endsInFrame = false
        }
    }

    /// - Returns: Whether the frame covers the screen.
    private mutating func add(_ frame: PixelSize, at corner: PixelSize) -> Bool {
        frameCount += 1
        largestFrame = max(largestFrame, frame.width * frame.height)
        let coversScreen =
            corner.width == 0 && corner.height == 0 && frame.width >= size.width && frame.height >= size.height
        if frameCount == 1, !coversScreen { hasAlpha = true }
        return coversScreen
    }

    /// Reads the transparency from graphic controls and the loop count from application extensions.
    private mutating func readExtension(_ bytes: [UInt8], at offset: Int) {
        let rest = bytes[offset...]
        if bytes[offset + 1] == 0xF9, rest.count >= 8, bytes[offset + 2] == 4 {
            isBlended = bytes[offset + 3] & 1 != 0
            if isBlended { hasAlpha = true }
            disposal = GIFOutline.disposal(Int(bytes[offset + 3] >> 2 & 7))
            if disposal == .restore { restoresFrames = true }
            if disposal == .clear { clearsFrames = true }
            delay = bytes.littleEndian(2, at: offset + 4)
        } else if bytes[offset + 1] == 0xFF, rest.count >= 19, bytes[offset + 2] == 11,
            rest.dropFirst(3).starts(with: "NETSCAPE2.0".utf8) || rest.dropFirst(3).starts(with: "ANIMEXTS1.0".utf8),
            bytes[offset + 14] >= 3, bytes[offset + 15] == 1
        {
            loopCount = bytes.littleEndian(2, at: offset + 16)
        }
    }

    /// Methods that do not exist keep the frame.
    static func disposal(_ method: Int) -> FrameCanvas.Disposal { [2: .clear, 3: .restore][method] ?? .keep }

    private static func paletteLength(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }
}
