// SPDX-License-Identifier: MIT
/// The properties in the markers before the first scan of a JPEG.
///
/// - Source: ITU-T T.81, annex B.
struct JPEGHeader {
    /// The stored size in pixels.
    let size: PixelSize
    /// How the stored pixels must be turned.
    let orientation: ImageOrientation
    /// The sampling factors of each component, 1 to 4.
    let components: [PixelSize]
    /// Whether the picture has several scans, so that the library keeps the coefficients of all of it.
    let hasSeveralScans: Bool

    /// Creates a header from the markers before the first scan.
    ///
    /// - Parameters:
    ///   - bytes: The file or its beginning.
    ///   - options: An EXIF block beyond the limit for metadata is skipped.
    ///   - work: Called between markers; one of its own by default.
    /// - Throws: `.truncated`, `.malformed`, `.unsupportedFormat` for samples of more than 8 bits; what `work` throws.
    /// - Complexity: O(number of markers), plus stray bytes between them.
    init(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork? = nil) throws {
        guard bytes.starts(with: [0xFF, 0xD8]) else {
            throw ImageError(code: .malformed, message: "Not a JPEG.", byteOffset: 0)
        }
        var frame: ArraySlice<UInt8>?
        var isProgressive = false
        var scanComponentCount = 0
        var orientation: ImageOrientation?
        var offset = 2
        var walk = (work ?? DecodingWork(limits: options.limits, byteCount: bytes.count)).walk()
        while true {
            let marker = try JPEGHeader.nextMarker(in: bytes, at: &offset, &walk)
            // Markers without a length: TEM, the restarts and another start of image.
            if marker == 0x01 || (0xD0...0xD8).contains(marker) { continue }
            if marker == 0xD9 {
                throw ImageError(code: .malformed, message: "The JPEG has no picture.", byteOffset: offset)
            }
            guard offset + 2 <= bytes.count else { throw JPEGHeader.truncated(bytes) }
            let length = bytes.bigEndian(2, at: offset)
            guard length >= 2 else {
                throw ImageError(code: .malformed, message: "A JPEG marker is too short.", byteOffset: offset)
            }
            if marker == 0xDA {
                scanComponentCount = offset + 2 < bytes.count ? Int(bytes[offset + 2]) : 0
                break
            }
            guard offset + length <= bytes.count else { throw JPEGHeader.truncated(bytes) }
            let payload = bytes[offset + 2..<offset + length]
            if marker == 0xE1, orientation == nil, payload.starts(with: EXIF.prefix),
                payload.count <= options.limits.maximumMetadataByteCount
            {
                orientation = EXIF.orientation(in: payload)
            } else if JPEGHeader.startsFrame(marker), frame == nil {
                frame = payload
                // SOF2, 6, 10 and 14.
                isProgressive = marker & 3 == 2
            }
            offset += length
        }
        guard let frame else {
            throw ImageError(code: .malformed, message: "The JPEG's scan has no frame header.", byteOffset: offset)
        }
        size = try JPEGHeader.size(in: frame)
        components = JPEGHeader.components(in: frame)
        hasSeveralScans = isProgressive || scanComponentCount < components.count
        self.orientation = orientation ?? .up
    }

    /// Skips to the next marker, over fill bytes and stray bytes as libjpeg does.
    private static func nextMarker(
        in bytes: [UInt8], at offset: inout Int, _ walk: inout DecodingWork.Walk
    ) throws -> UInt8 {
        while offset + 1 < bytes.count {
            try walk.reach(offset)
            if bytes[offset] == 0xFF, bytes[offset + 1] != 0xFF, bytes[offset + 1] != 0 {
                offset += 2
                return bytes[offset - 1]
            }
            offset += 1
        }
        throw truncated(bytes)
    }

    /// All frame headers but the tables that share their range: DHT, JPG and DAC.
    static func startsFrame(_ marker: UInt8) -> Bool {
        (0xC0...0xCF).contains(marker) && marker != 0xC4 && marker != 0xC8 && marker != 0xCC
    }

    private static func size(in frame: ArraySlice<UInt8>) throws(ImageError) -> PixelSize {
        let start = frame.startIndex
        guard frame.count >= 6 else {
            throw ImageError(code: .malformed, message: "The JPEG's frame header is too short.", byteOffset: start)
        }
        guard frame[start] == 8 else {
            throw ImageError(
                code: .unsupportedFormat, message: "jpeg: \(frame[start]) bits a sample are not supported, only 8.")
        }
        return PixelSize(width: frame.bigEndian(2, at: start + 3), height: frame.bigEndian(2, at: start + 1))
    }

    /// Invalid factors are clamped to valid ones; libjpeg refuses such a file later.
    private static func components(in frame: ArraySlice<UInt8>) -> [PixelSize] {
        let count = frame.dropFirst(5).first.map(Int.init) ?? 0
        return (0..<min(count, (frame.count - 6) / 3)).map { index in
            let factors = frame[frame.startIndex + 6 + index * 3 + 1]
            return PixelSize(
                width: min(max(Int(factors >> 4), 1), 4), height: min(max(Int(factors & 15), 1), 4))
        }
    }

    private static func truncated(_ bytes: [UInt8]) -> ImageError {
        ImageError(code: .truncated, message: "The JPEG ends before its first scan.", byteOffset: bytes.count)
    }
}
