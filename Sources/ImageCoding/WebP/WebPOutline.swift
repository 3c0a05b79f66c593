// SPDX-License-Identifier: MIT
import CLibwebp

/// The properties in the chunks of a WebP, read without decoding anything.
///
/// - Source: RFC 9649.
struct WebPOutline {
    /// The stored size in pixels.
    let size: PixelSize
    /// Whether the file declares that pixels may be transparent.
    let hasAlpha: Bool
    /// Whether the file is an animation, even of one frame.
    let isAnimated: Bool
    /// The number of frames found.
    private(set) var frameCount = 0
    /// How often the animation is played; 0 forever.
    private(set) var loopCount = 0
    /// How the stored pixels must be turned.
    private(set) var orientation = ImageOrientation.up
    /// Whether every frame found is stored exactly.
    private(set) var isLossless = true
    /// Whether the bytes end in a chunk without pixels.
    private(set) var endsInMetadata = false
    /// Whether the header announces an EXIF chunk that was not found; it follows the pixels.
    private(set) var lacksEXIF: Bool
    /// The pixels of a still picture, as far as they have arrived.
    let bitstream: WebPBitstream?
    /// Whether all bytes that the file's header announces exist.
    let isComplete: Bool
    /// The bytes after the file's header.
    private let body: Range<Int>

    /// Creates an outline from the chunks, as far as there are bytes.
    ///
    /// - Parameters:
    ///   - bytes: The file or its beginning.
    ///   - options: An EXIF chunk beyond the limit for metadata is skipped.
    ///   - work: Called between chunks; one of its own by default.
    /// - Throws: `.truncated` without a whole header, `.malformed`; what `work` throws.
    /// - Complexity: O(number of chunks).
    init(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork? = nil) throws {
        let work = work ?? DecodingWork(limits: options.limits, byteCount: bytes.count)
        let features = try WebPOutline.features(of: bytes)
        size = PixelSize(width: Int(features.width), height: Int(features.height))
        hasAlpha = features.has_alpha != 0
        isAnimated = features.has_animation != 0
        lacksEXIF = bytes.count > 20 && bytes[12..<16].elementsEqual("VP8X".utf8) && bytes[20] & 8 != 0
        // The header was long enough for the features, and so for the size field.
        let announced = bytes.littleEndian(at: 4)
        isComplete = announced <= bytes.count - 8
        body = 12..<max(12, min(bytes.count, announced + 8))
        bitstream = isAnimated ? nil : try WebPBitstream(in: WebPChunks(bytes, in: body, work: work), of: bytes)
        var chunks = WebPChunks(bytes, in: body, work: work)
        while let chunk = try chunks.next() {
            let payload = chunk.payload
            guard chunk.isWhole else {
                endsInMetadata = chunk.type == "EXIF" || chunk.type == "XMP "
                break
            }
            if chunk.type == "ANMF" {
                frameCount += 1
                let parts = min(payload.lowerBound + 16, payload.upperBound)..<payload.upperBound
                let frame = try WebPBitstream(in: WebPChunks(bytes, in: parts, work: work), of: bytes)
                isLossless = isLossless && frame?.isLossless == true
            } else if chunk.type == "ANIM", payload.count >= 6 {
                loopCount = bytes.littleEndian(2, at: payload.lowerBound + 4)
            } else if chunk.type == "EXIF" {
                lacksEXIF = false
                if payload.count <= options.limits.maximumMetadataByteCount {
                    orientation = EXIF.orientation(in: bytes[payload])
                }
            }
        }
        if !isAnimated {
            frameCount = 1
            isLossless = bitstream?.isLossless == true
        }
    }

    /// The frames of an animation that are whole, up to a number of them.
    ///
    /// - Throws: `.malformed`; what `work` throws.
    func frames(of bytes: [UInt8], upTo limit: Int, _ work: DecodingWork) throws -> [WebPFrame] {
        var (chunks, frames) = (WebPChunks(bytes, in: body, work: work), [WebPFrame]())
        while frames.count < limit, let chunk = try chunks.next() {
            guard chunk.type == "ANMF", chunk.isWhole else { continue }
            frames.append(try WebPFrame(chunk.payload, of: bytes, on: size, work: work))
        }
        return frames
    }

    /// Reads the beginning alone: libwebp would read all chunks before the pixels, but needs only the first ones.
    private static func features(of bytes: [UInt8]) throws(ImageError) -> WebPBitstreamFeatures {
        var features = WebPBitstreamFeatures()
        let status = unsafe WebPGetFeatures(bytes, min(bytes.count, 1 << 16), &features)
        guard status != VP8_STATUS_NOT_ENOUGH_DATA, bytes.count >= 12 else {
            throw ImageError(code: .truncated, message: "The WebP ends in its header.", byteOffset: bytes.count)
        }
        guard status == VP8_STATUS_OK else {
            throw ImageError(code: .malformed, message: "The WebP's header is broken.")
        }
        return features
    }
}

/// One frame of an animated WebP.
///
/// - Source: RFC 9649, section 2.7.1.1.
struct WebPFrame {
    /// The place of the frame on the canvas.
    let rect: PixelRect
    /// How long it is shown, in milliseconds.
    let duration: Int
    /// Whether it is blended over the canvas, instead of replacing its pixels.
    let isBlended: Bool
    /// Whether its place is cleared before the next frame.
    let isCleared: Bool
    let bitstream: WebPBitstream

    /// Creates a frame from its header.
    ///
    /// - Parameters:
    ///   - payload: The range of the bytes in the frame's chunk.
    ///   - canvas: The size of the canvas, which holds the frame.
    /// - Throws: `.malformed`; what `work` throws.
    init(_ payload: Range<Int>, of bytes: [UInt8], on canvas: PixelSize, work: DecodingWork) throws {
        let start = payload.lowerBound
        func number(_ offset: Int) -> Int { bytes.littleEndian(3, at: start + offset) }
        // Two offsets in steps of two pixels, width and height less one, duration: three bytes each. Then flags.
        guard payload.count >= 24 else { throw WebPFrame.broken(start) }
        rect = PixelRect(x: number(0) * 2, y: number(3) * 2, width: number(6) + 1, height: number(9) + 1)
        duration = number(12)
        isBlended = bytes[start + 15] & 2 == 0
        isCleared = bytes[start + 15] & 1 != 0
        guard rect.x + rect.width <= canvas.width, rect.y + rect.height <= canvas.height,
            let bitstream = try WebPBitstream(
                in: WebPChunks(bytes, in: start + 16..<payload.upperBound, work: work), of: bytes)
        else { throw WebPFrame.broken(start) }
        self.bitstream = bitstream
    }

    private static func broken(_ offset: Int) -> ImageError {
        ImageError(code: .malformed, message: "A frame of the WebP is broken.", byteOffset: offset)
    }
}

extension FrameCanvas {
    /// Draws a frame of a WebP: beside the canvas if it may be transparent, and on it otherwise.
    ///
    /// libwebp's own animation decoder keeps two canvases and draws a frame of any size without a pause.
    mutating func draw(_ frame: WebPFrame, of bytes: [UInt8], _ work: DecodingWork) throws {
        let (rect, stride) = (frame.rect, size.width * 4)
        try begin(rect, frame.isCleared ? .clear : .keep, work)
        if frame.bitstream.mayHaveAlpha {
            let drawn = try unsafe Bitmap.draw(rect.size) {
                _ = try unsafe frame.bitstream.draw(
                    bytes, size: rect.size, as: rect.size, to: $0, stride: rect.width * 4, work: work)
            }
            return try draw(drawn, in: rect, isBlended: frame.isBlended, work)
        }
        try unsafe pixels.withUnsafeMutableBufferPointer { pixels in
            let first = rect.y * stride + rect.x * 4
            let end = first + (rect.height - 1) * stride + rect.width * 4
            _ = try unsafe frame.bitstream.draw(
                bytes, size: rect.size, as: rect.size, to: UnsafeMutableBufferPointer(rebasing: pixels[first..<end]),
                stride: stride, work: work)
        }
    }
}
