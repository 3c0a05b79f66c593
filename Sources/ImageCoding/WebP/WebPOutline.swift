import CLibwebp

/// What the chunks of a WebP tell without decoding anything.
///
/// - Source: RFC 9649.
struct WebPOutline {
    /// The stored size in pixels.
    let size: PixelSize
    /// Whether the file says that pixels may be transparent.
    let hasAlpha: Bool
    /// Whether the file is an animation, if only of one frame.
    let isAnimated: Bool
    /// How many frames were found.
    private(set) var frameCount = 0
    /// How often the animation is played; 0 for ever.
    private(set) var loopCount = 0
    /// How the stored pixels must be turned.
    private(set) var orientation = ImageOrientation.up
    /// The most that libwebp takes for one frame beyond the pixels it draws.
    private(set) var codecByteCount = 0
    /// The pixels of the largest frame of an animation.
    private(set) var largestFrame = 0
    /// Whether all bytes that the file's header announces are there.
    let isComplete: Bool

    /// Walks over the chunks as far as there are bytes.
    ///
    /// - Parameters:
    ///   - bytes: The file or its beginning.
    ///   - maximumMetadataByteCount: A larger EXIF chunk is skipped.
    /// - Throws: `.truncated` without a whole header, `.malformed`.
    /// - Complexity: O(number of chunks).
    init(_ bytes: [UInt8], maximumMetadataByteCount: Int) throws(ImageError) {
        let features = try WebPOutline.features(of: bytes)
        size = PixelSize(width: Int(features.width), height: Int(features.height))
        hasAlpha = features.has_alpha != 0
        isAnimated = features.has_animation != 0
        // The header was long enough for the features, and so for the size of the file.
        let announced = WebPOutline.number(in: bytes, at: 4)
        isComplete = announced <= bytes.count - 8
        let end = min(bytes.count, announced + 8)
        var offset = 12
        while offset + 8 <= end {
            let length = WebPOutline.number(in: bytes, at: offset + 4)
            let payload = offset + 8
            let type = bytes[offset..<offset + 4]
            if !isAnimated { note(type, bytes[payload...].first, size) }
            guard length <= end - payload else { break }
            if type.elementsEqual("ANMF".utf8) {
                frameCount += 1
                addFrame(bytes[payload..<payload + length])
            } else if type.elementsEqual("ANIM".utf8), length >= 6 {
                loopCount = Int(bytes[payload + 4]) | Int(bytes[payload + 5]) << 8
            } else if type.elementsEqual("EXIF".utf8), length <= maximumMetadataByteCount {
                orientation = EXIF.orientation(in: bytes[payload..<payload + length])
            }
            // Chunks begin at even offsets.
            offset = payload + length + length % 2
        }
        if !isAnimated { frameCount = 1 }
    }

    /// Looks into a frame for its size and the kind of its first chunk.
    ///
    /// - Source: RFC 9649, section 2.7.1.1: offsets, width and height less one, duration and flags are sixteen bytes.
    private mutating func addFrame(_ payload: ArraySlice<UInt8>) {
        guard payload.count >= 24 else { return }
        func side(_ offset: Int) -> Int {
            payload.dropFirst(offset).prefix(3).reversed().reduce(0) { $0 << 8 | Int($1) } + 1
        }
        let frame = PixelSize(width: side(6), height: side(9))
        largestFrame = max(largestFrame, frame.pixelCount)
        note(payload.dropFirst(16).prefix(4), payload.dropFirst(24).first, frame)
    }

    /// Adds up what libwebp allocates for a chunk of pixels.
    ///
    /// Lossless pixels and lossless alpha are kept whole with their transforms, other alpha is kept whole, lossy pixels
    /// need rows of blocks.
    private mutating func note(_ type: ArraySlice<UInt8>, _ first: UInt8?, _ frame: PixelSize) {
        let perPixel: Int
        if type.elementsEqual("VP8L".utf8) {
            perPixel = 5
        } else if type.elementsEqual("ALPH".utf8) {
            perPixel = (first ?? 1) & 3 == 0 ? 1 : 6
        } else {
            perPixel = 0
        }
        let rows = frame.width.saturatingMultiply(256).saturatingAdd(65_536)
        codecByteCount = max(codecByteCount, frame.pixelCount.saturatingMultiply(perPixel).saturatingAdd(rows))
    }

    private static func features(of bytes: [UInt8]) throws(ImageError) -> WebPBitstreamFeatures {
        var features = WebPBitstreamFeatures()
        let status = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe WebPGetFeatures(input.baseAddress, input.count, &features)
        }
        guard status != VP8_STATUS_NOT_ENOUGH_DATA, bytes.count >= 12 else {
            throw ImageError(.truncated, "The WebP ends in its header.", byteOffset: bytes.count)
        }
        guard status == VP8_STATUS_OK else { throw ImageError(.malformed, "The WebP's header is broken.") }
        return features
    }

    /// Four bytes, least significant first, which the caller knows to be there.
    private static func number(in bytes: [UInt8], at offset: Int) -> Int {
        bytes[offset..<offset + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
