// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Colours that are not sRGB, against what other programs make of them.
@Suite("Colours")
struct ColorTests {
    private let coders = ImageCoders.default
    private static let size = PixelSize(width: 32, height: 24)
    private static let box = ResizeTransformer(size: PixelSize(width: 16, height: 12))
    private static let keeping = DecodeOptions(keepsColors: true)
    /// The names of the files, of which those in `converted` have other colours than sRGB.
    private static let names = converted + ["srgb.jpg", "plain-inks.jpg"]
    private static let converted =
        [
            "p3.jpg", "adobe-progressive.jpg", "grey.jpg", "inks.jpg", "ycck.jpg", "wide.png", "p3-alpha.png",
            "grey-alpha.png", "palette.png", "p3-alpha.webp", "adobe.webp",
        ] + wide
    /// Files of sixteen bits.
    private static let wide = [
        "wide16.png", "p3-alpha16-interlaced.png", "grey16.png", "linear16.png", "adobe-numbers16.png",
        "apple-gamma16.png", "cicp-p3.png", "cicp-perceptual.png",
    ]

    private static func file(_ name: String) throws -> [UInt8] { try Fixture.file("Colors/\(name)") }

    /// The pixels of a file as its decoder alone draws them.
    private func plain(_ file: [UInt8]) throws -> DecodedImage {
        try coders.decoder(for: file, options: DecodeOptions()).decode(file, options: DecodeOptions())
    }

    private func conversion(_ blocks: MetadataBlocks) -> ColorConversion? { blocks.source.flatMap(ColorConversion.of) }

    private func difference(_ image: DecodedImage, _ other: [UInt8]) -> Int {
        PixelComparison(image.pixels, other).maxDifference
    }

    @Test(arguments: names)
    func `pictures become sRGB as Little CMS makes it in Pillow and ImageMagick`(name: String) throws {
        let file = try Self.file(name)
        let image = try coders.decode(file)
        expectEqual(image.size, Self.size)
        let reference = try Self.file(name + ".rgba")
        let difference = difference(image, reference)
        expect(difference, <=, 2, "\(name): \(difference)")
        // The pixels are sRGB, so no profile is kept that would convert them again.
        expectNil(image.metadata)
        let isConverted = Self.converted.contains(name)
        try expectEqual((self.difference(plain(file), reference) > 4), isConverted)
        expectEqual((conversion(MetadataBlocks(of: file)) != nil), isConverted)
    }

    @Test(arguments: ["p3.jpg", "wide.png", "p3-alpha.webp", "wide16.png"])
    func `colours are kept when asked, with their profile, and converted once by the next reader`(name: String) throws {
        let file = try Self.file(name)
        let kept = try coders.decode(file, options: Self.keeping)
        expectEqual(kept.pixels, try plain(file).pixels)
        let profile = try required(MetadataBlocks(of: file).profile)
        expectEqual(kept.metadata?.colorProfile, profile)
        let reference = try Self.file(name + ".rgba")
        for format in [EncodedFormat.png, .losslessWebP] {
            let written = try coders.encode(kept, as: format.keeping(.colorProfile))
            expectEqual(MetadataBlocks(of: written).profile, profile)
            let read = try coders.decode(written)
            // Eight of sixteen bits are left, and alpha rounds colours before they are converted.
            expect(difference(read, reference), <=, (name == "wide.png" || name == "p3.jpg" ? 3 : 8))
            try expectEqual(coders.transcode(file, as: format.keeping(.colorProfile)), written)
            // A program may keep the profile itself.
            try expectEqual(
                coders.transcode(file, as: format, options: Self.keeping), coders.encode(kept, as: format))
            // What is sRGB is written without a profile, whatever is asked.
            let plain = try coders.encode(coders.decode(file), as: format.keeping(.all))
            expectNil(MetadataBlocks(of: plain).profile)
            try expectEqual(coders.decode(plain).pixels, coders.decode(file).pixels)
        }
    }

    @Test(arguments: ["inks.jpg", "grey.jpg", "linear16.png", "cicp-p3.png"])
    func `colours that no encoder can write with a profile are converted in any case`(name: String) throws {
        let file = try Self.file(name)
        let image = try coders.decode(file, options: Self.keeping)
        try expectEqual(image.pixels, coders.decode(file).pixels)
        expectNil(image.metadata)
    }

    @Test func `a conversion is prepared once for equal colours, and few are kept`() throws {
        func conversion(_ name: String) throws -> ColorConversion? {
            self.conversion(MetadataBlocks(of: try Self.file(name)))
        }
        do {
            let first = try required(try conversion("p3.jpg"))
            try expect(conversion("p3-alpha.webp") === first)
            // Other pixels need another one.
            try expect(conversion("p3-alpha16-interlaced.png") !== first)
        }
        weak let weakly = try conversion("p3.jpg")
        let png = try Self.file("linear16.png")
        for index in 0..<ColorConversion.keptCount {
            var other = png
            // Another gamma each.
            other[44] = UInt8(index)
            expect(self.conversion(MetadataBlocks(of: other)) != nil)
        }
        expectNil(weakly)
        // Each use counts.
        weak let used = try conversion("p3.jpg")
        for index in 0..<ColorConversion.keptCount {
            var other = png
            other[44] = UInt8(index)
            expect(self.conversion(MetadataBlocks(of: other)) != nil)
            try expect(conversion("p3.jpg") === used)
        }
    }

    @Test func `the colours of a thumbnail are converted as they are before alpha is multiplied into them`() throws {
        let kept = try coders.decode(Self.file("p3-alpha.png"), options: Self.keeping)
        // Half of an orange that sRGB has, too.
        let pixels = (0..<Self.size.pixelCount).flatMap { _ in [100, 60, 40, 128] as [UInt8] }
        var image = try DecodedImage(
            width: Self.size.width, height: Self.size.height, frames: [DecodedImage.Frame(pixels: pixels)],
            hasAlpha: true)
        image.metadata = kept.metadata
        let file = try coders.encode(image, as: .png.keeping(.colorProfile))
        let whole = try coders.decode(file).pixels.prefix(4)
        expect(whole != pixels.prefix(4))
        let thumbnail = try coders.decode(file, options: DecodeOptions(thumbnail: Self.box))
        let expected = (0..<16 * 12).flatMap { _ in whole }
        expect(difference(thumbnail, expected), <=, 1)
    }

    @Test func `of conversions of large profiles fewer are kept`() throws {
        let known = try required(MetadataBlocks(of: Self.file("wide.png")).profile)
        let pixels = try required(MetadataBlocks(of: Self.file("wide.png")).source).pixels
        func conversion(_ index: UInt8, _ count: Int = 900_000) throws -> ColorConversion? {
            let size = PNGChunk.bigEndian(UInt32(known.count + count))
            let large = size + known[4...] + [UInt8](repeating: index, count: count)
            return ColorConversion.of(.init(description: .profile(large), pixels: pixels))
        }
        weak let first = try conversion(0)
        for index in 1...2 as ClosedRange<UInt8> { _ = try conversion(index) }
        let last = try required(try conversion(3))
        expectNil(first)
        try expect(last === conversion(3))
        // The latest is kept whatever it takes.
        let largest = try required(try conversion(4, 4_000_000))
        try expect(largest === conversion(4, 4_000_000))
    }

    @Test(arguments: ["wide.png", "inks.jpg", "wide16.png"])
    func `a thumbnail is converted, and its memory counts`(name: String) throws {
        let file = try Self.file(name)
        let options = DecodeOptions(thumbnail: Self.box)
        let thumbnail = try coders.decode(file, options: options)
        let whole = try Self.box.transform(coders.decode(file))
        // Which comes first, converting or resizing, changes little.
        expect(PixelComparison(thumbnail.pixels, whole.pixels).psnr, >, 30)
        let decoder = try coders.decoder(for: file, options: options)
        let more =
            try coders.decodingByteCount(of: file) - decoder.decodingByteCount(of: file, options: DecodeOptions())
        let profile = try required(MetadataBlocks(of: file).profile)
        expectEqual(more, 1 << 20 + profile.count * 9 + (name == "wide.png" ? 32 * 24 * 4 : 0))
        let small = DecodeOptions(limits: ImageLimits(maximumMetadataByteCount: 100))
        try expectEqual(coders.decode(file, options: small).pixels, plain(file).pixels)
    }

    @Test func `a conversion counts before it is prepared, also when nothing comes of it`() throws {
        // Not a profile, and in no other file.
        let large = [UInt8](repeating: 0x5A, count: 1 << 19)
        let file = PNGChunk.inserting(
            "iCCP", try required(PNGProfile.deflated(large)), into: try Fixture.file("rgb8.png"))
        let decoder = try coders.decoder(for: file, options: DecodeOptions())
        let plain = try decoder.decodingByteCount(of: file, options: DecodeOptions())
        let frame = try coders.properties(of: file).size.bitmapByteCount
        // Counting prepares nothing: what comes of it is not known afterwards.
        for _ in 0..<2 {
            try expectEqual(coders.decodingByteCount(of: file), plain + frame + 1 << 20 + large.count * 9)
        }
        try expectEqual(coders.decode(file).pixels, self.plain(file).pixels)
        // It is not prepared again.
        try expectEqual(coders.decodingByteCount(of: file), plain)
    }

    @Test func `an untagged or sRGB picture costs nothing`() throws {
        // Its profile is known to be sRGB from the first picture that has it.
        _ = try coders.decode(Self.file("srgb.jpg"))
        for file in [try Self.file("srgb.jpg"), try Self.file("plain-inks.jpg"), try Fixture.file("rgb8.png")] {
            let decoder = try coders.decoder(for: file, options: DecodeOptions())
            try expectEqual(
                coders.decodingByteCount(of: file), decoder.decodingByteCount(of: file, options: DecodeOptions()))
            try expectEqual(coders.decode(file).pixels, plain(file).pixels)
        }
    }

    /// A decoder with a preview of any JPEG.
    private struct Eager: WatchedDecoding, ProgressiveDecoding, ImagePreviewing {
        let leavesColorProfile = true
        let byteCount = 0

        func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }
        func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
            try JPEGCoder().properties(of: bytes, options: options)
        }
        func decode(_ bytes: [UInt8], _ options: DecodeOptions, _ work: DecodingWork) throws -> DecodedImage {
            try JPEGCoder().decode(bytes, options, work)
        }
        func previewer(for beginning: [UInt8], options: DecodeOptions) -> (any ImagePreviewing)? { self }
        func preview(of bytes: [UInt8]) -> DecodedImage? { nil }
    }

    @Test func `previews have the colours of the picture`() throws {
        // Colours that are converted while the picture is drawn have no previews.
        let eager = ImageCoders(decoders: [Eager()], encoders: [])
        try expectNil(eager.previewer(for: Self.file("inks.jpg")))
        try expect(eager.previewer(for: Self.file("p3.jpg")) != nil)

        let file = try Self.file("adobe-progressive.jpg")
        let previewer = try required(try coders.previewer(for: Array(file.dropLast(2))))
        let preview = try required(try previewer.preview(of: file))
        expect(PixelComparison(preview.pixels, try coders.decode(file).pixels).psnr, >, 30)
        let plain = try JPEGCoder().previewer(for: file, options: DecodeOptions())
        let profile = try required(MetadataBlocks(of: file).profile)
        expectEqual(previewer.byteCount, try required(plain).byteCount * 2 + 1 << 20 + profile.count * 9)
    }

    @Test func `frames are converted when they are made`() throws {
        var animation = ImageFactory.animation(width: 20, height: 12, frames: 3, seed: 1)
        animation.metadata = ImageMetadata(
            colorProfile: try required(MetadataBlocks(of: Self.file("wide.png")).profile))
        let file = try coders.encode(animation, as: EncodedFormat.apng.keeping(.colorProfile))
        let held = try coders.decode(file)
        let onDemand = try coders.decode(file, options: DecodeOptions(framesOnDemand: true))
        for index in 0..<3 {
            let pixels = try onDemand.frame(at: index).pixels
            expectEqual(pixels, held.frames[index].pixels)
            expect(pixels != animation.frames[index].pixels)
        }
    }

    @Test func `what is remembered of needless conversions is forgotten`() {
        func source(_ index: Int) -> ColorConversion.Source {
            .init(description: .profile([UInt8(index & 255), UInt8(index >> 8)]), pixels: 0)
        }
        expectNil(ColorConversion.of(source(0)))
        expect(source(0).isKnownAsNeedless)
        for index in 1...1_024 { expectNil(ColorConversion.of(source(index))) }
        expect(!source(0).isKnownAsNeedless)
    }

    @Test func `a decoder of the program's own may leave colours, too`() throws {
        for leaves in [true, false] {
            let own = ImageCoders(decoders: [OwnDecoder(leavesColorProfile: leaves)], encoders: [])
            for name in ["wide.png", "wide16.png"] {
                let file = try Self.file(name)
                let image = try own.decode(file)
                expect((try difference(image, Self.file(name + ".rgba")) <= 5) == leaves)
                expectNil(image.metadata)
            }
        }
    }

    @Test(arguments: ["p3.jpg", "grey.jpg", "inks.jpg", "wide.png", "cicp-p3.png", "linear16.png"])
    func `what is broken in a profile makes no other error than before`(name: String) throws {
        let file = try Self.file(name)
        for index in 0..<(name == "inks.jpg" ? 40 : 200) {
            var damaged = file
            // Before the pixels, which are at the end.
            damaged[40 + (index * 37) % min(file.count / 2, 600)] ^= UInt8(1 << (index % 8))
            guard let image = try? coders.decode(damaged) else { continue }
            expectEqual(image.pixels.count, image.size.bitmapByteCount)
        }
    }

    @Test(arguments: converted)
    func `colours do not depend on rows or passes`(name: String) throws {
        let file = try Self.file(name)
        let same = DecodeOptions(thumbnail: ResizeTransformer(size: Self.size), failOn: .never)
        try expectEqual(coders.decode(file, options: same).pixels, coders.decode(file).pixels)
    }
}

private struct OwnDecoder: ImageDecoding {
    var leavesColorProfile: Bool

    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }

    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        try PNGCoder().properties(of: bytes, options: options)
    }

    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        // It knows nothing of conversions.
        try PNGCoder().decode(bytes, options: DecodeOptions())
    }
}
