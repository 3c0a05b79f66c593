// SPDX-License-Identifier: MIT
import CImageShims

/// The blocks of metadata of a JPEG, PNG or WebP, found without decoding anything.
///
/// They are as they are in the file: untrusted bytes, which may name the camera, a person and a place.
/// ``ImageMetadata`` is what has been checked.
public struct MetadataBlocks: Sendable {
    /// The first EXIF block within the limit: a TIFF structure, perhaps with `Exif\0\0` in front; `nil` without one.
    public private(set) var exif: ArraySlice<UInt8>?
    /// The bytes of the ICC profile within the limit, decompressed; `nil` without one.
    public private(set) var profile: [UInt8]?

    private let limit: Int
    private let profileLimit: Int
    /// Markers and chunks that may still be passed.
    private var left = 65_536

    /// Finds the blocks of a file, of at most ``ImageLimits/maximumMetadataByteCount`` each.
    ///
    /// - Complexity: O(number of markers or chunks), of which 65,536 are read, and of a profile's bytes.
    public init(of file: [UInt8], limits: ImageLimits = .default) {
        self.init(
            of: file, limit: limits.maximumMetadataByteCount, profileLimit: limits.maximumMetadataByteCount)
    }

    /// Finds the blocks of a file.
    ///
    /// - Parameters:
    ///   - limit: The most bytes of an EXIF block; a larger one is skipped.
    ///   - profileLimit: The most bytes of a profile.
    /// - Complexity: O(number of markers or chunks), of which 65,536 are read, and of a profile's bytes.
    init(of file: [UInt8], limit: Int, profileLimit: Int) {
        (self.limit, self.profileLimit) = (limit, profileLimit)
        switch ImageFormat(sniffing: file) {
        case .jpeg: readJPEG(file)
        case .png: readPNG(file)
        case .webp: readWebP(file)
        default: break
        }
    }

    private mutating func mayGoOn() -> Bool {
        left -= 1
        return left >= 0
    }

    /// The EXIF marker, and the parts of `ICC_PROFILE` markers before the first scan, in the order of their numbers.
    ///
    /// - Source: ICC.1:2022, annex B.4; CIPA DC-008, section 4.5.4.
    private mutating func readJPEG(_ file: [UInt8]) {
        let name = Array("ICC_PROFILE\0".utf8)
        var (parts, offset) = ([UInt8: ArraySlice<UInt8>](), 2)
        while mayGoOn(), offset + 4 <= file.count, file[offset] == 0xFF, file[offset + 1] != 0xDA {
            let length = file.bigEndian(2, at: offset + 2)
            guard length >= 2, offset + 2 + length <= file.count else { break }
            let payload = file[(offset + 4)..<(offset + 2 + length)]
            if file[offset + 1] == 0xE2, payload.count > 14, payload.starts(with: name) {
                parts[payload[payload.startIndex + 12]] = payload.dropFirst(14)
            } else if file[offset + 1] == 0xE1, exif == nil, payload.starts(with: EXIF.prefix), payload.count <= limit {
                exif = payload
            }
            offset += 2 + length
        }
        guard !parts.isEmpty, parts.values.reduce(0, { $0 + $1.count }) <= profileLimit else { return }
        profile = parts.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// The chunk `eXIf`, and before the pixels `iCCP`: a name, a zero, the compression, and a zlib stream.
    ///
    /// - Source: PNG (third edition), sections 11.3.2.3 and 11.3.4.6.
    private mutating func readPNG(_ file: [UInt8]) {
        var hasPixels = false
        for chunk in PNGChunks(file, from: 8) {
            // With its check sum.
            guard mayGoOn(), chunk.payload.upperBound + 4 <= file.count else { return }
            switch chunk.type {
            case "IDAT": hasPixels = true
            case "iCCP" where !hasPixels && profile == nil:
                profile = PNGProfile.inflated(file[chunk.payload], profileLimit)
            case "eXIf" where exif == nil && chunk.payload.count <= limit: exif = file[chunk.payload]
            default: break
            }
        }
    }

    /// The chunk `ICCP`, which is the first one after that of the canvas, and `EXIF`.
    ///
    /// - Source: RFC 9649, sections 2.7.1.4 and 2.7.1.5.
    private mutating func readWebP(_ file: [UInt8]) {
        guard file.count >= 30, file[12..<16].elementsEqual("VP8X".utf8) else { return }
        var offset = 30
        while mayGoOn(), offset + 8 <= file.count {
            let length = file.littleEndian(at: offset + 4)
            guard length <= file.count - offset - 8 else { return }
            let (type, payload) = (file[offset..<offset + 4], file[(offset + 8)..<(offset + 8 + length)])
            if offset == 30, type.elementsEqual("ICCP".utf8), length <= profileLimit {
                profile = Array(payload)
            } else if type.elementsEqual("EXIF".utf8), exif == nil, length <= limit {
                exif = payload
            }
            offset += 8 + length + length % 2
        }
    }
}

/// The profile of a PNG, which is compressed.
enum PNGProfile {
    /// The profile in the payload of `iCCP`.
    static func inflated(_ payload: ArraySlice<UInt8>, _ limit: Int) -> [UInt8]? {
        guard let zero = payload.prefix(80).firstIndex(of: 0), zero + 2 < payload.endIndex else { return nil }
        let stream = Array(payload[(zero + 2)...])
        // Deflate makes at most 1,032 bytes of one.
        let most = min(limit, stream.count.saturatingMultiply(1_032))
        guard most > 0 else { return nil }
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: most) { output, count in
            var length = most
            let status = unsafe swi_inflate(stream, stream.count, output.baseAddress!, &length)
            count = status == 0 ? length : 0
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// The payload of `iCCP` for a profile, which is not empty.
    static func deflated(_ profile: [UInt8]) -> [UInt8]? {
        var length = profile.count + profile.count / 100 + 64
        let stream = unsafe [UInt8](unsafeUninitializedCapacity: length) { output, count in
            let status = unsafe swi_deflate(profile, profile.count, output.baseAddress!, &length)
            count = status == 0 ? length : 0
        }
        return stream.isEmpty ? nil : Array("ICC profile\0\0".utf8) + stream
    }
}
