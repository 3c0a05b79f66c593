// SPDX-License-Identifier: MIT
import CLibwebp

extension ImageOrientation {
    /// The turn that takes this one back.
    var inverse: ImageOrientation {
        switch self {
        case .right: .left
        case .left: .right
        default: self
        }
    }
}

extension ImageMetadata {
    /// Puts the chosen parts into a file that has no metadata.
    ///
    /// - Parameters:
    ///   - parts: The parts to keep; those that say nothing are left out.
    ///   - file: A JPEG, PNG or WebP from the encoders here.
    func inserted(_ parts: Parts, into file: [UInt8]) throws -> [UInt8] {
        let exif = exif(parts)
        let profile = parts.contains(.colorProfile) ? colorProfile : []
        if exif.isEmpty, profile.isEmpty { return file }
        switch ImageFormat(sniffing: file) {
        case .jpeg: return insertedIntoJPEG(file, exif, profile)
        case .png: return insertedIntoPNG(file, exif, profile)
        case .webp: return try insertedIntoWebP(file, exif, profile)
        default: return file
        }
    }

    /// A TIFF structure of one directory; empty without anything to say.
    ///
    /// - Source: TIFF 6.0, section 2; CIPA DC-008, section 4.6.
    private func exif(_ parts: Parts) -> [UInt8] {
        var entries: [(tag: UInt16, type: UInt16, count: Int, value: [UInt8])] = []
        if parts.contains(.orientation), orientation != .up {
            entries.append((0x0112, 3, 1, [0, UInt8(orientation.rawValue)]))
        }
        for (tag, text) in [(EXIF.artist, artist), (EXIF.copyright, copyright)] {
            guard parts.contains(.copyright), !text.isEmpty else { continue }
            let value = Array(text.utf8) + [0]
            entries.append((tag, 2, value.count, value))
        }
        if entries.isEmpty { return [] }
        func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 255), UInt8(value & 255)] }
        var bytes: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8] + short(entries.count)
        var (place, values) = (8 + 2 + entries.count * 12 + 4, [UInt8]())
        for entry in entries {
            bytes += short(Int(entry.tag)) + short(Int(entry.type)) + PNGChunk.bigEndian(UInt32(entry.count))
            if entry.value.count <= 4 {
                bytes += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
            } else {
                bytes += PNGChunk.bigEndian(UInt32(place))
                // Values begin at even offsets.
                values += entry.value + [UInt8](repeating: 0, count: entry.value.count % 2)
                place += entry.value.count + entry.value.count % 2
            }
        }
        return bytes + [0, 0, 0, 0] + values
    }

    /// After the start and the JFIF marker.
    private func insertedIntoJPEG(_ file: [UInt8], _ exif: [UInt8], _ profile: [UInt8]) -> [UInt8] {
        let start = file[3] == 0xE0 ? 4 + Int(file[4]) << 8 + Int(file[5]) : 2
        var segments: [UInt8] = []
        func append(_ marker: UInt8, _ payload: [UInt8]) {
            segments += [0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)] + payload
        }
        if !exif.isEmpty { append(0xE1, EXIF.prefix + exif) }
        // One of one.
        if !profile.isEmpty { append(0xE2, Array("ICC_PROFILE\0".utf8) + [1, 1] + profile) }
        return file[..<start] + segments + file[start...]
    }

    /// After the header of 33 bytes.
    private func insertedIntoPNG(_ file: [UInt8], _ exif: [UInt8], _ profile: [UInt8]) -> [UInt8] {
        var chunks: [UInt8] = []
        if !profile.isEmpty, let payload = PNGProfile.deflated(profile) {
            PNGChunk.append("iCCP", [payload[...]], to: &chunks)
        }
        if !exif.isEmpty { PNGChunk.append("eXIf", [exif[...]], to: &chunks) }
        return file[..<33] + chunks + file[33...]
    }

    private func insertedIntoWebP(_ file: [UInt8], _ exif: [UInt8], _ profile: [UInt8]) throws -> [UInt8] {
        try unsafe file.withUnsafeBufferPointer { bytes in
            var whole = unsafe WebPData(bytes: bytes.baseAddress, size: bytes.count)
            guard let mux = unsafe WebPMuxCreate(&whole, 0) else { throw WebPCoder.noMemory }
            defer { unsafe WebPMuxDelete(mux) }
            for (name, payload) in [("EXIF", exif), ("ICCP", profile)] where !payload.isEmpty {
                let status = unsafe payload.withUnsafeBufferPointer { payload in
                    var data = unsafe WebPData(bytes: payload.baseAddress, size: payload.count)
                    // Copies the payload.
                    return unsafe WebPMuxSetChunk(mux, name, &data, 1)
                }
                guard status == WEBP_MUX_OK else { throw WebPCoder.noMemory }
            }
            var made = unsafe WebPData()
            unsafe WebPDataInit(&made)
            defer { unsafe WebPDataClear(&made) }
            guard unsafe WebPMuxAssemble(mux, &made) == WEBP_MUX_OK else { throw WebPCoder.noMemory }
            return unsafe [UInt8](UnsafeBufferPointer(start: made.bytes, count: made.size))
        }
    }
}
