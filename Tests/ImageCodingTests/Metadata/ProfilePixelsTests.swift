// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageCoding

/// Which pixels a profile is for, and what its conversion leaves of them.
@Suite struct ProfilePixelsTests {
    private let coders = ImageCoders.default

    private func profile(_ name: String) throws -> [UInt8] {
        try #require(MetadataBlocks(of: Fixture.file("Colors/\(name)")).profile)
    }

    /// A picture without a profile, with one.
    private func file(_ name: String, _ profile: [UInt8]) throws -> [UInt8] {
        let plain = try Fixture.file(name)
        if name.hasSuffix("png") {
            return PNGChunk.inserting("iCCP", try required(PNGProfile.deflated(profile)), into: plain)
        }
        if name.hasSuffix("webp") { return try webP(plain, profile) }
        return plain[..<2] + segments(profile) + plain[2...]
    }

    /// A WebP of one chunk, with the chunk of a canvas and that of a profile in front.
    private func webP(_ plain: [UInt8], _ profile: [UInt8]) throws -> [UInt8] {
        func number(_ value: Int, _ count: Int = 4) -> [UInt8] { (0..<count).map { UInt8(value >> ($0 * 8) & 0xFF) } }
        let properties = try coders.properties(of: plain)
        let canvas = [0x20, 0, 0, 0] + number(properties.size.width - 1, 3) + number(properties.size.height - 1, 3)
        let padded = profile + [UInt8](repeating: 0, count: profile.count % 2)
        let chunks =
            Array("WEBPVP8X".utf8) + number(canvas.count) + canvas + Array("ICCP".utf8) + number(profile.count) + padded
        return Array("RIFF".utf8) + number(chunks.count + plain.count - 12) + chunks + plain[12...]
    }

    /// The segments of a JPEG that hold a profile, of at most 60,000 bytes each.
    private func segments(_ profile: [UInt8]) -> [UInt8] {
        let starts = Array(stride(from: 0, to: profile.count, by: 60_000))
        return starts.enumerated().flatMap { number, start -> [UInt8] in
            let part = profile[start...].prefix(60_000)
            let payload = Array("ICC_PROFILE\0".utf8) + [UInt8(number + 1), UInt8(starts.count)] + part
            return [0xFF, 0xE2] + PNGChunk.bigEndian(UInt32(payload.count + 2)).suffix(2) + payload
        }
    }

    @Test(
        arguments: ["rgb8.png", "rgb16.png", "palette8.png", "baseline-444.jpg", "cmyk.jpg", "ycck.jpg", "lossy.webp"])
    func `a profile of other colours than the pixels counts as none`(name: String) throws {
        let plain = try coders.decode(Fixture.file(name)).pixels
        let inks = name == "cmyk.jpg" || name == "ycck.jpg"
        for (source, isOfItsColors) in [("grey.jpg", false), ("wide.png", !inks), ("inks.jpg", inks)] {
            let pixels = try coders.decode(file(name, profile(source))).pixels
            expectEqual((pixels != plain), isOfItsColors, "\(source)")
        }
    }

    @Test(arguments: ["grey8.png", "greyalpha8.png", "grey16.png", "greyalpha16.png", "grey.jpg"])
    func `greys are converted by a profile of greys without a tint, and not by one of inks`(name: String) throws {
        let plain = try coders.decode(Fixture.file(name))
        let known = try profile("grey.jpg")
        // Of bluish paper in a scanner, whose colour its intent would show.
        var bluish = known
        bluish.replaceSubrange(12..<16, with: "scnr".utf8)
        let white = try required(known.indices.first { known[$0...].starts(with: "wtpt".utf8) })
        let place = known.bigEndian(at: white + 4) + 8
        bluish.replaceSubrange(place..<place + 12, with: [0, 0, 0xF3, 0x51, 0, 1, 0, 0, 0, 1, 0x16, 0xCC])
        bluish[67] = 3
        for profile in [known, bluish] {
            let image = try coders.decode(file(name, profile))
            expect(image.pixels != plain.pixels)
            expectEqual(image.hasAlpha, plain.hasAlpha)
            for (pixel, before) in zip(image.pixels.chunks, plain.pixels.chunks) {
                expectEqual(pixel, [pixel[0], pixel[0], pixel[0], before[3]])
            }
        }
        try expectEqual(coders.decode(file(name, profile("inks.jpg"))).pixels, plain.pixels)
    }

    @Test func `inks are opaque, whatever becomes of them`() throws {
        let image = try coders.decode(Fixture.file("Colors/inks.jpg"))
        expectAll(!image.hasAlpha, image.pixels.chunks.allSatisfy { $0[3] == 255 })
    }
}
