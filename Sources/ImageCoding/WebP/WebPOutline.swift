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
    ///   - maximumMetadataByteCount: A larger EXIF chunk is skipped.
    ///   - work: Called between chunks.
    /// - Throws: `.truncated` without a whole header, `.malformed`; what `work` throws.
    /// - Complexity: O(number of chunks).
    init(_ bytes: [UInt8], maximumMetadataByteCount: Int, work: DecodingWork) throws {
        let features = try WebPOutline.features(of: bytes)
        size = PixelSize(width: Int(features.width), height: Int(features.height))
        hasAlpha = features.has_alpha != 0
        isAnimated = features.has_animation != 0
        lacksEXIF = bytes.count > 20 && bytes[12..<16].elementsEqual("VP8X".utf8) && bytes[20] & 8 != 0
        // The header was long enough for the features, and so for the size field.
        let announced = WebPChunks.number(in: bytes, at: 4)
        isComplete = announced <= bytes.count - 8
        body = 12..<max(12, min(bytes.count, announced + 8))
        bitstream = isAnimated ? nil : try WebPBitstream(in: WebPChunks(bytes, in: body, work: work), of: bytes)
        var chunks = WebPChunks(bytes, in: body, work: work)
        while let chunk = try chunks.next() {
            let payload = chunk.payload
            guard chunk.isWhole else {
                endsInMetadata = chunk.type == WebPChunks.exif || chunk.type == WebPChunks.xmp
                break
            }
            if chunk.type == WebPChunks.frame {
                frameCount += 1
                let parts = min(payload.lowerBound + 16, payload.upperBound)..<payload.upperBound
                let frame = try WebPBitstream(in: WebPChunks(bytes, in: parts, work: work), of: bytes)
                isLossless = isLossless && frame?.isLossless == true
            } else if chunk.type == WebPChunks.animation, payload.count >= 6 {
                loopCount = Int(bytes[payload.lowerBound + 4]) | Int(bytes[payload.lowerBound + 5]) << 8
            } else if chunk.type == WebPChunks.exif {
                lacksEXIF = false
                if payload.count <= maximumMetadataByteCount { orientation = EXIF.orientation(in: bytes[payload]) }
            }
        }
        if !isAnimated {
            frameCount = 1
            isLossless = bitstream?.isLossless == true
        }
    }

    /// An iterator over the chunks.
    func chunks(of bytes: [UInt8], work: DecodingWork) -> WebPChunks { WebPChunks(bytes, in: body, work: work) }

    /// Reads the beginning alone: libwebp would read all chunks before the pixels, but needs only the first ones.
    private static func features(of bytes: [UInt8]) throws(ImageError) -> WebPBitstreamFeatures {
        var features = WebPBitstreamFeatures()
        let status = unsafe bytes.withUnsafeBufferPointer { input in
            unsafe WebPGetFeatures(input.baseAddress, min(input.count, 1 << 16), &features)
        }
        guard status != VP8_STATUS_NOT_ENOUGH_DATA, bytes.count >= 12 else {
            throw ImageError(code: .truncated, message: "The WebP ends in its header.", byteOffset: bytes.count)
        }
        guard status == VP8_STATUS_OK else {
            throw ImageError(code: .malformed, message: "The WebP's header is broken.")
        }
        return features
    }
}
