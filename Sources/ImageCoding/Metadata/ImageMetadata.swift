// SPDX-License-Identifier: MIT
/// What a file says about its picture beside the pixels, as far as an encoder can keep it.
///
/// ``ImageCoders/decode(_:options:)`` reads it from JPEG, PNG and WebP, the profile from other formats too, and a
/// picture carries it through transformers.
/// Nothing of it is written unless ``EncodeOptions/keptMetadata`` asks for it. Each part is read, checked and written
/// anew: no block of a file is copied, so places, camera numbers, previews and whatever else a file may hold stay
/// behind.
public struct ImageMetadata: Hashable, Sendable {
    /// The parts that an encoder keeps.
    public struct Parts: OptionSet, Hashable, Sendable {
        /// A bit for each part.
        public let rawValue: Int

        /// Creates a set from its bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The pixels are stored as they were in the file that the picture came from, and a tag says how to turn them.
        /// Without it they are stored upright. The picture looks the same.
        public static let orientation = Parts(rawValue: 1)
        /// The ICC profile of an RGB picture that was decoded with ``DecodeOptions/keepsColors``.
        public static let colorProfile = Parts(rawValue: 2)
        /// The artist and the copyright notice.
        public static let copyright = Parts(rawValue: 4)
        /// Every part.
        public static let all: Parts = [.orientation, .colorProfile, .copyright]
    }

    /// How the file's pixels had to be turned to stand upright.
    public var orientation = ImageOrientation.up
    /// The ICC profile of the pixels: of RGB colours, with a valid header and tags within its bytes, of at most
    /// 65,519 bytes. Empty for sRGB.
    public private(set) var colorProfile: [UInt8] = []
    /// The copyright notice, one line of at most 1,024 bytes; empty without one.
    public var copyright = "" { didSet { copyright = EXIF.line(copyright) } }
    /// The person who made the picture, one line of at most 1,024 bytes; empty without one.
    public var artist = "" { didSet { artist = EXIF.line(artist) } }

    /// The largest profile that is kept, in bytes: one segment of a JPEG.
    static let maximumProfileByteCount = 65_519

    /// Creates metadata.
    ///
    /// - Parameters:
    ///   - orientation: How an encoder that keeps it stores the pixels.
    ///   - colorProfile: An ICC profile; one that is broken, too large or not of RGB colours counts as none.
    ///   - copyright: The copyright notice; control characters and what is beyond 1,024 bytes are left out.
    ///   - artist: The person who made the picture, in the same way.
    public init(
        orientation: ImageOrientation = .up, colorProfile: [UInt8] = [], copyright: String = "", artist: String = ""
    ) {
        self.orientation = orientation
        self.colorProfile = ColorProfileHeader.isKept(colorProfile) ? colorProfile : []
        self.copyright = EXIF.line(copyright)
        self.artist = EXIF.line(artist)
    }

    /// Checks a file's metadata; `nil` when there is none to keep.
    init?(_ blocks: MetadataBlocks) {
        self.init()
        if let exif = blocks.exif {
            orientation = EXIF.orientation(in: exif)
            copyright = EXIF.text(EXIF.copyright, in: exif)
            artist = EXIF.text(EXIF.artist, in: exif)
        }
        if let profile = blocks.profile, ColorProfileHeader.isKept(profile) { colorProfile = profile }
        if self == ImageMetadata() { return nil }
    }

    /// The bytes that it takes in memory.
    var byteCount: Int { colorProfile.count + copyright.utf8.count + artist.utf8.count }

    /// The metadata of a picture whose colours are sRGB; `nil` when nothing is left.
    var withoutProfile: ImageMetadata? {
        var other = self
        other.colorProfile = []
        return other == ImageMetadata() ? nil : other
    }
}

/// The checks of an ICC profile before it is kept.
///
/// - Source: ICC.1:2022, sections 7.2 and 7.3.
private enum ColorProfileHeader {
    /// Whether the bytes are a profile of RGB colours whose parts lie within it.
    static func isKept(_ bytes: [UInt8]) -> Bool {
        guard (132...ImageMetadata.maximumProfileByteCount).contains(bytes.count) else { return false }
        func number(_ offset: Int) -> Int { bytes.bigEndian(at: offset) }
        func has(_ name: String, at offset: Int) -> Bool { bytes[offset..<offset + 4].elementsEqual(name.utf8) }
        let end = 132 + number(128).saturatingMultiply(12)
        guard number(0) == bytes.count, (2...5).contains(bytes[8]), has("acsp", at: 36), has("RGB ", at: 16),
            ["mntr", "scnr", "prtr", "spac"].contains(where: { has($0, at: 12) }),
            has("XYZ ", at: 20) || has("Lab ", at: 20), number(128) > 0, end <= bytes.count
        else { return false }
        return stride(from: 132, to: end, by: 12).allSatisfy { tag in
            number(tag + 4) >= end && number(tag + 4).saturatingAdd(number(tag + 8)) <= bytes.count
        }
    }
}
