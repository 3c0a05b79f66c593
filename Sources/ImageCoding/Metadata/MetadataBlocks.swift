// SPDX-License-Identifier: MIT
import CImageShims

/// The blocks of metadata of a JPEG, PNG or WebP, found without decoding anything, and the colour profile of a TIFF,
/// HEIC, AVIF or JPEG XL where its package trait is enabled.
///
/// They are as they are in the file: untrusted bytes, which may name the camera, a person and a place.
/// ``ImageMetadata`` is what has been checked.
public struct MetadataBlocks: Sendable {
    /// The first EXIF block within the limit: a TIFF structure, perhaps with `Exif\0\0` in front; `nil` without one.
    public private(set) var exif: ArraySlice<UInt8>?
    /// The bytes of the ICC profile within the limit, decompressed; `nil` without one.
    public private(set) var profile: [UInt8]?
    /// What the numbers of the pixels mean; `nil` for sRGB, and where the file does not say it.
    private(set) var colors: ColorDescription?
    /// The pixels that a conversion gets; one of `SWI_PIXELS_...`.
    private(set) var pixels = Int32(SWI_PIXELS_RGBA_8)

    /// Whether the pixels of a JPEG, PNG or WebP are more than greys. Of other formats it is not known.
    private var hasColors = false
    private let limit: Int
    /// Markers and chunks that may still be passed.
    private var left = 65_536

    /// Finds the blocks of a file, of at most ``ImageLimits/maximumMetadataByteCount`` each.
    ///
    /// - Complexity: O(number of markers or chunks), of which 65,536 are read, and of a profile's bytes.
    public init(of file: [UInt8], limits: ImageLimits = .default) {
        limit = limits.maximumMetadataByteCount
        let format = ImageFormat(sniffing: file)
        switch format {
        case .jpeg: readJPEG(file)
        case .png: readPNG(file)
        case .webp: readWebP(file)
        #if TIFF
        case .tiff:
            let allocation = Shim.largestAllocation(limits)
            profile = unsafe profile(in: file) { unsafe swi_tiff_read_colours($0, $1, allocation, $2, $3, &pixels) }
        #endif
        #if HEIF
        case .heic, .heif, .avif: readHEIF(file)
        #endif
        #if JPEGXL
        case .jpegXL: profile = unsafe profile(in: file, swi_jxl_read_colours)
        #endif
        default: break
        }
        // A PNG has said it all.
        if format != .png, colors == nil { colors = profile.map { .profile($0) } }
        // One of other colours than the pixels counts as none.
        if hasColors, case .profile(let known)? = colors, known.dropFirst(16).starts(with: "GRAY".utf8) { colors = nil }
    }

    /// Where the conversion of the pixels begins; `nil` for sRGB, and where the file says nothing.
    var source: ColorConversion.Source? { colors.map { ColorConversion.Source(description: $0, pixels: pixels) } }

    /// The blocks for a decoder of the program's own, whose pixels have eight bits and are RGBA.
    var ofEightBits: MetadataBlocks {
        var other = self
        other.pixels = Int32(SWI_PIXELS_RGBA_8)
        return other
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
            // A byte that fills.
            if file[offset + 1] == 0xFF {
                offset += 1
                continue
            }
            let length = file.bigEndian(2, at: offset + 2)
            guard length >= 2, offset + 2 + length <= file.count else { break }
            let payload = file[(offset + 4)..<(offset + 2 + length)]
            if file[offset + 1] == 0xE2, payload.count > 14, payload.starts(with: name) {
                parts[payload[payload.startIndex + 12]] = payload.dropFirst(14)
            } else if JPEGHeader.startsFrame(file[offset + 1]), payload.count > 5 {
                let components = payload[payload.startIndex + 5]
                hasColors = components > 1
                if components == 4 { pixels = Int32(SWI_PIXELS_INVERTED_CMYK) }
            } else if file[offset + 1] == 0xE1, exif == nil, payload.starts(with: EXIF.prefix), payload.count <= limit {
                exif = payload
            }
            offset += 2 + length
        }
        guard !parts.isEmpty, parts.values.reduce(0, { $0 + $1.count }) <= limit else { return }
        profile = parts.sorted { $0.key < $1.key }.flatMap(\.value)
    }

    /// The chunk `eXIf`, and before the pixels those of colours; `iCCP` has a name, a zero, the compression, and a zlib
    /// stream.
    ///
    /// - Source: PNG (third edition), sections 11.3.2.3 and 11.3.4.6.
    private mutating func readPNG(_ file: [UInt8]) {
        var (hasPixels, hasProfile, named) = (false, false, PNGColors())
        if file.count > 25 {
            if file[24] == 16 { pixels = Int32(SWI_PIXELS_RGBA_16) }
            hasColors = file[25] & 2 != 0
        }
        defer { colors = named.description(profile) }
        for chunk in PNGChunks(file, from: 8) {
            // With its check sum.
            guard mayGoOn(), chunk.payload.upperBound + 4 <= file.count else { return }
            switch chunk.type {
            case "IDAT": hasPixels = true
            case "iCCP" where !hasPixels && !hasProfile:
                // One alone is decompressed, also when it is broken.
                hasProfile = true
                profile = PNGProfile.inflated(file[chunk.payload], limit)
            case "eXIf" where exif == nil && chunk.payload.count <= limit: exif = file[chunk.payload]
            case let type where !hasPixels: named.read(type, file[chunk.payload])
            default: break
            }
        }
    }

    /// The chunk `ICCP`, which is the first one after that of the canvas, and `EXIF`.
    ///
    /// - Source: RFC 9649, sections 2.7.1.4 and 2.7.1.5.
    private mutating func readWebP(_ file: [UInt8]) {
        guard file.count >= 30, file[12..<16].elementsEqual("VP8X".utf8) else { return }
        hasColors = true
        var offset = 30
        while mayGoOn(), offset + 8 <= file.count {
            let length = file.littleEndian(at: offset + 4)
            guard length <= file.count - offset - 8 else { return }
            let (type, payload) = (file[offset..<offset + 4], file[(offset + 8)..<(offset + 8 + length)])
            if offset == 30, type.elementsEqual("ICCP".utf8), length <= limit {
                profile = Array(payload)
            } else if type.elementsEqual("EXIF".utf8), exif == nil, length <= limit {
                exif = payload
            }
            offset += 8 + length + length % 2
        }
    }
}

#if TIFF || HEIF || JPEGXL
extension MetadataBlocks {
    /// The profile that a C function finds, if it is within the limit.
    private func profile(
        in file: [UInt8], _ read: (UnsafePointer<UInt8>, Int, Int, UnsafeMutablePointer<swi_bytes>) -> Void
    ) -> [UInt8]? {
        var found = unsafe swi_bytes()
        unsafe read(file, file.count, max(limit, 0), &found)
        defer { unsafe swi_bytes_free(&found) }
        guard unsafe found.count > 0, let start = unsafe found.start else { return nil }
        return unsafe [UInt8](UnsafeBufferPointer(start: start, count: found.count))
    }

    #if HEIF
    /// The property `colr` of the primary picture.
    ///
    /// - Source: ISO/IEC 14496-12, section 12.1.5.
    private mutating func readHEIF(_ file: [UInt8]) {
        // Two means that nothing is said.
        var numbers: [Int32] = [2, 2]
        profile = unsafe profile(in: file) { unsafe swi_heif_read_colours($0, $1, $2, $3, &numbers) }
        if profile == nil { colors = ColorDescription(primaries: Int(numbers[0]), transfer: Int(numbers[1])) }
    }
    #endif
}
#endif

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
