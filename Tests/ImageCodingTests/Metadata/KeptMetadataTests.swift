// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Metadata that an encoder keeps by choice, and what is never kept.
@Suite("Kept metadata")
struct KeptMetadataTests {
    private let coders = ImageCoders.default
    private let keeping = DecodeOptions(keepsColors: true)
    private static let formats: [EncodedFormat] = [
        .jpeg(), .jpeg(isProgressive: true), .png, EncodedFormat(.png, options: EncodeOptions(maximumColors: 16)),
        .webp(), .losslessWebP,
    ]

    /// A profile of one tag, with or without a fault.
    private static func profile(_ change: (inout [UInt8]) -> Void = { _ in }) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 128)
        for (offset, text) in [(12, "mntr"), (16, "RGB "), (20, "XYZ "), (36, "acsp")] {
            bytes.replaceSubrange(offset..<offset + 4, with: text.utf8)
        }
        bytes[8] = 4
        bytes += [0, 0, 0, 1] + Array("desc".utf8) + [0, 0, 0, 144, 0, 0, 0, 20]
        bytes += (0..<20).map { UInt8($0) }
        bytes[3] = UInt8(bytes.count)
        change(&bytes)
        return bytes
    }

    private static let metadata = ImageMetadata(
        orientation: .right, colorProfile: profile(), copyright: "\u{A9} 2026 Ada", artist: "Ada")

    private static func picture(_ metadata: ImageMetadata? = metadata, hasAlpha: Bool = false) -> DecodedImage {
        var image = ImageFactory.picture(width: 37, height: 23, seed: 6, hasAlpha: hasAlpha)
        image.metadata = metadata
        return image
    }

    @Test(arguments: formats, [false, true])
    func `every part is written and read again, and the picture looks the same`(
        format: EncodedFormat, hasAlpha: Bool
    ) throws {
        let picture = Self.picture(hasAlpha: hasAlpha)
        let kept = try coders.encode(picture, as: format.keeping(.all))
        let header = try coders.properties(of: kept)
        expectEqual(header.size, picture.size)
        expectEqual(header.orientation, .right)
        // The marker that programs look for comes first.
        if format.format == .jpeg { expect(kept.starts(with: [0xFF, 0xD8, 0xFF, 0xE0])) }
        let read = try coders.decode(kept, options: keeping)
        expectEqual(read.metadata, Self.metadata)
        let plain = try coders.decode(coders.encode(picture, as: format))
        expectNil(plain.metadata)
        let isExact = format.format == .png && format.options.maximumColors == nil || format.options.isLossless
        let psnr = PixelComparison(read.pixels, plain.pixels).psnr
        expect(isExact ? psnr == .infinity : psnr > 18)
    }

    @Test func `texts of any length are written and read again`() throws {
        for length in 0...9 {
            for other in [0, 3, 4, 5, 9 - length] where length + other > 0 {
                let (artist, copyright) = (String("Ada Byron".prefix(length)), String("Copyright".prefix(other)))
                let metadata = ImageMetadata(copyright: copyright, artist: artist)
                let file = try coders.encode(Self.picture(metadata), as: .png.keeping(.copyright))
                try expectEqual(coders.decode(file).metadata, metadata)
            }
        }
    }

    @Test func `the block has its entries in order, short values within them, and long ones at even places`() throws {
        let metadata = ImageMetadata(orientation: .right, copyright: "1815 Ada", artist: "Ada!")
        let file = try coders.encode(Self.picture(metadata), as: .png.keeping(.all))
        let block = try required(MetadataBlocks(of: file).exif)
        var expected: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, 3]
        expected += [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0]
        expected += [0x01, 0x3B, 0, 2, 0, 0, 0, 5, 0, 0, 0, 50]
        expected += [0x82, 0x98, 0, 2, 0, 0, 0, 9, 0, 0, 0, 56]
        expected += [0, 0, 0, 0] + Array("Ada!\0\0".utf8) + Array("1815 Ada\0\0".utf8)
        expectEqual(Array(block), expected)
    }

    @Test(arguments: formats)
    func `nothing is written by default, and nothing but what is named`(format: EncodedFormat) throws {
        try expectEqual(coders.encode(Self.picture(), as: format), coders.encode(Self.picture(nil), as: format))
        let parts: [(ImageMetadata.Parts, ImageMetadata)] = [
            (.orientation, ImageMetadata(orientation: .right)),
            (.colorProfile, ImageMetadata(colorProfile: Self.profile())),
            (.copyright, ImageMetadata(copyright: Self.metadata.copyright, artist: Self.metadata.artist)),
        ]
        for (part, expected) in parts {
            let bytes = try coders.encode(Self.picture(), as: format.keeping(part))
            try expectEqual(coders.decode(bytes, options: keeping).metadata, expected)
            expect(format.keeping(part).key != format.key)
        }
        expectEqual(Set(parts.map { format.keeping($0.0).key }).count, 3)
    }

    @Test(arguments: ImageOrientation.allCases)
    func `pixels are stored as they were, whatever the orientation`(orientation: ImageOrientation) throws {
        let image = Self.picture(ImageMetadata(orientation: orientation))
        let bytes = try coders.encode(image, as: .png.keeping(.all))
        try expectEqual(coders.decode(bytes).pixels, image.pixels)
        let stored = PixelSize(width: bytes.bigEndian(at: 16), height: bytes.bigEndian(at: 20))
        expectEqual(stored, image.size.turned(orientation))
    }

    @Test(arguments: [EncodedFormat.apng, .losslessWebP, .png, .jpeg()])
    func `animations are turned back, too`(format: EncodedFormat) throws {
        var animation = ImageFactory.animation(width: 20, height: 12, frames: 3, seed: 1)
        animation.metadata = Self.metadata
        let kept = try coders.decode(coders.encode(animation, as: format.keeping(.all)))
        let plain = try coders.decode(coders.encode(animation, as: format))
        expectEqual(kept.frameCount, plain.frameCount)
        expectEqual(kept.size, plain.size)
        if format != .jpeg() { expectEqual(kept.frames.map(\.pixels), plain.frames.map(\.pixels)) }
    }

    @Test func `a custom encoder keeps metadata if it says so, and an animation if it can`() throws {
        for takesMetadata in [true, false] {
            let coders = ImageCoders(decoders: [PNGCoder()], encoders: [OwnEncoder(takesMetadata: takesMetadata)])
            let file = try coders.encode(Self.picture(), as: .png.keeping(.all))
            try expectEqual(coders.decode(file, options: keeping).metadata, takesMetadata ? Self.metadata : nil)
        }
        let own = ImageCoders(decoders: [], encoders: [OwnEncoder(takesMetadata: true)])
        let frame = DecodedImage.Frame(pixels: [1, 2, 3, 255], duration: .seconds(1))
        var animation = try DecodedImage(width: 1, height: 1, frames: [frame, frame, frame], hasAlpha: false)
        animation.metadata = Self.metadata
        // Only what is written is turned back.
        expectEqual(own.encodingByteCount(of: animation, as: .png.keeping(.orientation)), 4)
    }

    @Test func `metadata follows a picture through transformers, and counts in its memory`() throws {
        let small = try ResizeTransformer(size: PixelSize(width: 9, height: 9)).transform(Self.picture())
        expectEqual(small.metadata, Self.metadata)
        expectEqual(small.firstFrame.metadata, Self.metadata)
        expectEqual(Self.picture().byteCount, 37 * 23 * 4 + Self.profile().count + 3 + 11)
    }

    @Test func `a limit of bytes counts metadata, and that for metadata applies`() throws {
        let format = EncodedFormat.jpeg(quality: 95).keeping(.all)
        let whole = try coders.encode(Self.picture(), as: format)
        let small = try coders.encode(Self.picture(), as: format.limited(toByteCount: whole.count * 2 / 3))
        expect(small.count, <=, whole.count * 2 / 3)
        try expectEqual(coders.decode(small, options: keeping).metadata, Self.metadata)
        let file = try coders.encode(Self.picture(), as: .png.keeping(.all))
        let none = DecodeOptions(limits: ImageLimits(maximumMetadataByteCount: 20))
        try expectNil(coders.decode(file, options: none).metadata)
    }

    /// A JPEG with an EXIF block of a directory with these entries.
    private func jpeg(_ entries: [[UInt8]], _ values: [UInt8] = []) throws -> [UInt8] {
        let exif: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8, 0, UInt8(entries.count)] + entries.flatMap { $0 }
        let block = EXIF.prefix + exif + [0, 0, 0, 0] + values
        var file = try coders.encode(Self.picture(nil), as: .jpeg())
        let length = [UInt8((block.count + 2) >> 8), UInt8((block.count + 2) & 255)]
        file.insert(contentsOf: [0xFF, 0xE1] + length + block, at: 2)
        return file
    }

    @Test func `blocks of a file are never copied`() throws {
        let secret = Array("51.5 N, 0.1 W".utf8)
        // A copyright notice in two parts, and a comment.
        let notice = Array("Ada\0\n\u{1B}[2JEd".utf8) + [0xE9, 0]
        let start = UInt8(10 + 24 + 4)
        let file = try jpeg(
            [
                [0x82, 0x98, 0, 2, 0, 0, 0, UInt8(notice.count), 0, 0, 0, start],
                [0x92, 0x86, 0, 7, 0, 0, 0, UInt8(secret.count), 0, 0, 0, start + UInt8(notice.count)],
            ], notice + secret)
        let image = try coders.decode(file)
        expectEqual(image.metadata, ImageMetadata(copyright: "Ada; [2JEd\u{E9}"))
        for format in Self.formats {
            let bytes = try coders.encode(image, as: format.keeping(.all))
            expect(!bytes.indices.contains { bytes[$0...].starts(with: secret) })
        }
    }

    @Test func `an entry that lies counts as none, and a text is one line of at most a kilobyte`() throws {
        for entry: [UInt8] in [
            [0x82, 0x98, 0, 2, 255, 255, 255, 255, 0, 0, 0, 30], [0x82, 0x98, 0, 2, 0, 0, 0, 9, 255, 255, 255, 255],
            [0x82, 0x98, 0, 2, 0, 0, 0, 0, 0, 0, 0, 30], [0x82, 0x98, 0, 3, 0, 0, 0, 2, 65, 66, 0, 0],
            [0x82, 0x98, 0, 2, 0, 0], [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 9, 0, 0],
        ] {
            try expectNil(coders.decode(jpeg([entry])).metadata, "\(entry)")
        }
        let long = ImageMetadata(copyright: String(repeating: "\u{A9}\n", count: 4_000), artist: "a\u{202E}b\u{0}c")
        expectEqual(long.copyright, String(repeating: "\u{A9}", count: 512))
        expectEqual(long.artist, "abc")
    }

    @Test func `a profile that is broken, large or not of RGB colours counts as none`() throws {
        let faults: [(inout [UInt8]) -> Void] = [
            { $0[3] += 1 }, { $0.append(0) }, { $0[8] = 1 }, { $0[8] = 6 }, { $0[8] = 9 }, { $0[16] = 0x58 },
            { $0[12] = 0 }, { $0[20] = 0 }, { $0[36] = 0 },
            { $0[128] = 255 }, { $0[131] = 0 }, { $0[131] = 9 }, { $0[139] = 131 }, { $0[139] = 143 }, { $0[143] = 21 },
            { $0[136] = 255 }, { $0.removeLast() }, { $0 = [] }, { $0 = Array($0.prefix(131)) },
            { $0 += [UInt8](repeating: 0, count: 65_536) },
        ]
        for fault in faults { expect(ImageMetadata(colorProfile: Self.profile(fault)).colorProfile.isEmpty) }
        func isKept(_ change: (inout [UInt8]) -> Void) -> Bool {
            !ImageMetadata(colorProfile: Self.profile(change)).colorProfile.isEmpty
        }
        expectEqual(ImageMetadata(colorProfile: Self.profile()).colorProfile, Self.profile())
        for version in 2...5 as ClosedRange<UInt8> { expect(isKept { $0[8] = version }, "version \(version)") }
        for (place, name) in [(12, "scnr"), (12, "prtr"), (12, "spac"), (20, "Lab ")] {
            expect(isKept { $0.replaceSubrange(place..<place + 4, with: name.utf8) }, "\(name)")
        }
        expect(!isKept { $0.replaceSubrange(12..<16, with: "link".utf8) })
        expect(isKept { $0[143] = 0 })
        // The largest one fits into each format.
        let largest = Self.profile { bytes in
            bytes += [UInt8](repeating: 7, count: ImageMetadata.maximumProfileByteCount - bytes.count)
            (bytes[2], bytes[3]) = (0xFF, 0xEF)
        }
        for format in Self.formats {
            let image = Self.picture(ImageMetadata(colorProfile: largest))
            try expectEqual(
                coders.decode(coders.encode(image, as: format.keeping(.all)), options: keeping).metadata, image.metadata
            )
        }
    }
}

/// The PNG encoder, as a still one.
private struct OwnEncoder: ImageEncoding {
    let takesMetadata: Bool

    func canEncode(_ format: ImageFormat) -> Bool { format == .png }
    func animates(_ format: EncodedFormat) -> Bool { false }
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        try PNGCoder().encode(image, as: format)
    }
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int { 0 }
}
