// SPDX-License-Identifier: MIT
#if ICC
import CImageShims

/// The conversion of a picture from the colours of its file's ICC profile to sRGB.
///
/// Safe to share: the conversion is made once, never changed, and used without a cache.
@safe final class ColorProfile: @unchecked Sendable {
    private let profile: OpaquePointer

    /// Finds the profile of a JPEG, PNG or WebP and prepares its conversion.
    ///
    /// Broken profiles count as absent, and so do those of other colours than RGB and grey: the pixels of a CMYK file
    /// have left its colours when they are decoded.
    ///
    /// - Returns: `nil` when nothing is to be converted.
    init?(of bytes: [UInt8], _ limits: ImageLimits) {
        guard let found = ColorProfile.bytes(in: bytes, limits.maximumMetadataByteCount), !found.isEmpty,
            let made = unsafe found.withUnsafeBufferPointer({ unsafe swi_profile_create($0.baseAddress!, $0.count) })
        else { return nil }
        unsafe profile = made
    }

    deinit { unsafe swi_profile_free(profile) }

    /// Converts all frames; those on demand, on demand.
    ///
    /// **Cancellation**: checked every megabyte; throws `CancellationError`.
    func convert(_ image: DecodedImage) throws -> DecodedImage {
        let hasAlpha = image.hasAlpha
        return try image.mapFrames(to: image.size) { [self] pixels in
            try unsafe Bitmap.changed(pixels) {
                if hasAlpha { unsafe swi_unpremultiply($0, $1) }
                unsafe swi_profile_convert(profile, $0, $1)
                if hasAlpha { _ = unsafe swi_premultiply($0, $1) }
            }
        }
    }

    /// Whether a file has a profile.
    static func exists(in file: [UInt8], _ limits: ImageLimits) -> Bool {
        bytes(in: file, limits.maximumMetadataByteCount) != nil
    }

    /// The profile's bytes, up to the limit for metadata.
    private static func bytes(in file: [UInt8], _ limit: Int) -> [UInt8]? {
        switch ImageFormat(sniffing: file) {
        case .jpeg: inJPEG(file, limit)
        case .png: inPNG(file, limit)
        case .webp: inWebP(file, limit)
        default: nil
        }
    }

    /// The parts of `ICC_PROFILE` markers before the first scan, in the order of their numbers.
    ///
    /// - Source: ICC.1:2022, annex B.4.
    private static func inJPEG(_ file: [UInt8], _ limit: Int) -> [UInt8]? {
        let name = Array("ICC_PROFILE\0".utf8)
        var (parts, offset) = ([UInt8: ArraySlice<UInt8>](), 2)
        while offset + 4 <= file.count, file[offset] == 0xFF, file[offset + 1] != 0xDA {
            let length = Int(file[offset + 2]) << 8 | Int(file[offset + 3])
            guard length >= 2, offset + 2 + length <= file.count else { break }
            let payload = file[(offset + 4)..<(offset + 2 + length)]
            if file[offset + 1] == 0xE2, payload.count > 14, payload.starts(with: name) {
                parts[payload[payload.startIndex + 12]] = payload.dropFirst(14)
            }
            offset += 2 + length
        }
        guard parts.values.reduce(0, { $0 + $1.count }) <= limit else { return nil }
        return parts.isEmpty ? nil : parts.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// The chunk `iCCP`: a name, a zero, the compression, and a zlib stream.
    ///
    /// - Source: PNG (third edition), section 11.3.2.3.
    private static func inPNG(_ file: [UInt8], _ limit: Int) -> [UInt8]? {
        var offset = 8
        while offset + 12 <= file.count {
            let length = file[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            let type = file[(offset + 4)..<(offset + 8)]
            guard length <= file.count - offset - 12, !type.elementsEqual("IDAT".utf8) else { return nil }
            if type.elementsEqual("iCCP".utf8) {
                let payload = file[(offset + 8)..<(offset + 8 + length)]
                guard let zero = payload.prefix(80).firstIndex(of: 0), zero + 2 < payload.endIndex else { return nil }
                return inflated(Array(payload[(zero + 2)...]), limit)
            }
            offset += 12 + length
        }
        return nil
    }

    private static func inflated(_ stream: [UInt8], _ limit: Int) -> [UInt8]? {
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

    /// The chunk `ICCP`, which is the first one after that of the canvas.
    ///
    /// - Source: RFC 9649, section 2.7.1.4.
    private static func inWebP(_ file: [UInt8], _ limit: Int) -> [UInt8]? {
        let start = 30
        guard file.count >= start + 8, file[12..<16].elementsEqual("VP8X".utf8),
            file[start..<start + 4].elementsEqual("ICCP".utf8)
        else { return nil }
        let length = WebPChunks.number(in: file, at: start + 4)
        guard length <= min(limit, file.count - start - 8) else { return nil }
        return Array(file[(start + 8)..<(start + 8 + length)])
    }
}
#endif
