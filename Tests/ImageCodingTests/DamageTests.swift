// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// What a damaged file gives under each policy.
@Suite("Damage")
struct DamageTests {
    private static let limits = ImageLimits(
        maximumPixelCount: 100_000, maximumSide: 4_000, maximumFrameCount: 20, maximumAnimationPixelCount: 200_000)

    private func decode(_ bytes: [UInt8], _ failOn: DamagePolicy = .truncated) throws -> DecodedImage {
        try ImageCoders.default.decode(bytes, options: DecodeOptions(limits: DamageTests.limits, failOn: failOn))
    }

    private func code(_ bytes: [UInt8], _ failOn: DamagePolicy = .truncated) -> ImageError.Code? {
        do {
            _ = try decode(bytes, failOn)
            return nil
        } catch { return (error as? ImageError)?.code }
    }

    @Test(arguments: Fixture.all) func `a whole file has no damage under any policy`(fixture: Fixture) throws {
        let bytes = try fixture.bytes
        for policy in DamagePolicy.allCases { try expectEqual(decode(bytes, policy).damage, []) }
    }

    @Test(arguments: Fixture.all.filter { $0.format == .jpeg })
    func `a JPEG without its last marker is a picture and says so`(fixture: Fixture) throws {
        let bytes = try fixture.bytes
        let whole = try decode(bytes)
        for missing in [1, 2] {
            let cut = Array(bytes.dropLast(missing))
            for policy in [DamagePolicy.never, .truncated] {
                let image = try decode(cut, policy)
                expect(image.isSame(as: whole))
                expectEqual(image.damage, .missingEnd)
            }
            expectEqual(code(cut, .anyDamage), .truncated)
        }
        expectEqual(code(Array(bytes.dropLast(4))), .truncated)
    }

    @Test
    func `a JPEG without its last scan, or that of a component, is truncated although every row is there`() throws {
        for name in ["progressive-420.jpg", "progressive-444.jpg", "grey-progressive.jpg"] {
            let bytes = try Fixture.named(name).bytes
            let scan = try required(bytes.indices.dropLast().last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
            let cut = Array(bytes[..<scan])
            expectEqual(code(cut), .truncated, "\(name)")
            try expectEqual(decode(cut, .never).damage, [.missingEnd, .missingPixels], "\(name)")
        }
        let lengths: [UInt8] = [1] + [UInt8](repeating: 0, count: 15)
        func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0xFF, marker, 0, UInt8(payload.count + 2)] + payload
        }
        // Eight by eight pixels, and one scan for each of three components.
        let header =
            [0xFF, 0xD8] + segment(0xDB, [0] + [UInt8](repeating: 1, count: 64))
            + segment(0xC0, [8, 0, 8, 0, 8, 3, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0])
            + segment(0xC4, [0x00] + lengths + [0]) + segment(0xC4, [0x10] + lengths + [0])
        let scans = (1...3).map { segment(0xDA, [1, UInt8($0), 0, 0, 63, 0]) + [0x3F] }
        let whole = header + scans.flatMap { $0 }
        try expectEqual(decode(whole + [0xFF, 0xD9]).damage, [])
        try expectEqual(decode(whole).damage, .missingEnd)
        expectEqual(code(header + scans[0] + scans[1]), .truncated)
        try expectEqual(decode(header + scans[0] + scans[1], .never).damage, [.missingEnd, .missingPixels])
        // A progressive file without any scan of what is finer than its blocks.
        let coarse = header.map { $0 == 0xC0 ? 0xC2 : $0 } + segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 0, 0]) + [0x1F]
        expectEqual(code(coarse), .truncated)
        try expectEqual(decode(coarse, .never).damage, [.missingEnd, .missingPixels])
    }

    @Test(arguments: Fixture.all)
    func `a beginning is the whole picture without an end, or refused`(fixture: Fixture) throws {
        let bytes = try fixture.bytes
        let whole = try decode(bytes)
        for length in Set((0..<40).map { bytes.count * $0 / 40 } + (bytes.count - min(bytes.count, 24)..<bytes.count)) {
            guard let image = try? decode(Array(bytes.prefix(length))) else { continue }
            expectEqual(image.damage, .missingEnd, "length \(length)")
            // A GIF does not say how many frames it has.
            expect(image.frames.count == whole.frames.count || fixture.format == .gif)
            let pixels = image.frames.map(\.pixels)
            expectEqual(pixels, whole.frames.prefix(pixels.count).map(\.pixels), "length \(length)")
        }
    }

    @Test(arguments: [EncodedFormat.jpeg(), .png, .gif, .webp(), .losslessWebP])
    func `half of a file gives the rows it has if no damage may fail`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 96, height: 96, seed: 21, as: format)
        let whole = try decode(bytes).frames[0].pixels
        let half = Array(bytes.prefix(bytes.count * 3 / 4))
        expectEqual(code(half), .truncated)
        expectEqual(code(half, .anyDamage), .truncated)
        let image = try decode(half, .never)
        expect(image.damage.contains([.missingPixels, .missingEnd]))
        let pixels = image.frames[0].pixels
        // A lossless WebP shows nothing before its last block.
        if format != .losslessWebP { expectEqual(pixels.prefix(96 * 4 * 8), whole.prefix(96 * 4 * 8)) }
        expectEqual(pixels.suffix(4), (format.format == .jpeg ? [128, 128, 128, 255] : [0, 0, 0, 0]))
        expectEqual(image.hasAlpha, (format.format != .jpeg))
    }

    @Test func `an animated WebP that is cut in its metadata is a picture and says so`() throws {
        let bytes = try Fixture.named("animated-lossless.webp").bytes
        for (type, isPicture) in [("EXIF", true), ("XMP ", true), ("ABCD", false)] {
            var file = bytes + Array(type.utf8) + [100, 0, 0, 0] + [UInt8](repeating: 0, count: 100)
            file.replaceSubrange(4..<8, with: PNGChunk.bigEndian(UInt32(file.count - 8)).reversed())
            let cut = Array(file.dropLast(20))
            expectEqual(code(cut), isPicture ? nil : .truncated, "\(type)")
            if isPicture { try expectEqual(decode(cut).damage, .missingEnd) }
            expectEqual(code(cut, .anyDamage), .truncated)
        }
    }

    @Test(arguments: [EncodedFormat.gif, .webp(), .losslessWebP, .apng])
    func `an animation that ends early gives the frames it has if no damage may fail`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 6, seed: 3, as: format)
        // Within the last frame.
        let half = Array(bytes.dropLast(30))
        expectEqual(code(half), .truncated)
        let (image, whole) = (try decode(half, .never), try decode(bytes))
        expect(image.damage.contains(.missingPixels))
        expect((5...6).contains(image.frames.count))
        let sure = image.frames.dropLast()
        expectEqual(sure.map(\.pixels), whole.frames.prefix(sure.count).map(\.pixels))
        let first = DecodeOptions(firstFrameOnly: true)
        try expectEqual(ImageCoders.default.decode(half, options: first).frames[0].pixels, whole.frames[0].pixels)
    }

    @Test func `a PNG of a wrong checksum is drawn only if no damage may fail, and a resized picture is as damaged`()
        throws
    {
        var bytes = try ImageFactory.encoded(width: 40, height: 30, seed: 3, as: .png)
        let whole = try decode(bytes)
        // The checksum of the last chunk before the end.
        bytes[bytes.count - 13] ^= 1
        expectEqual(code(bytes), .malformed)
        let image = try decode(bytes, .never)
        expectEqual(image.damage, .corruptData)
        expect(image.isSame(as: whole))
        // What is made from a damaged picture says so, too.
        let cut = try ImageFactory.encoded(width: 60, height: 60, seed: 1, as: .jpeg()).dropLast(2)
        let resize = ResizeTransformer(size: PixelSize(width: 9, height: 9))
        try expectEqual(resize.transform(decode(Array(cut))).damage, .missingEnd)
        let options = DecodeOptions(thumbnail: resize)
        try expectEqual(ImageCoders.default.decode(Array(cut), options: options).damage, .missingEnd)
        try expectEqual(decode(Array(cut)).firstFrame.damage, .missingEnd)
        expectEqual(ImageDamage([.missingEnd, .corruptData]).description, "missing end, corrupt data")
    }

    @Test(arguments: Fixture.all)
    func `a stricter policy refuses more, and draws the same where it draws`(fixture: Fixture) throws {
        let bytes = try fixture.bytes
        for seed in 0..<40 {
            var broken = bytes
            let noise = ImageFactory.randomBytes(count: 5, seed: seed)
            broken[(Int(noise[0]) << 8 | Int(noise[1])) % bytes.count] ^= 1 << (noise[2] & 7)
            let results = DamagePolicy.allCases.map { policy in Result { try decode(broken, policy) } }
            for (lax, strict) in zip(results, results.dropFirst()) {
                guard let drawn = try? strict.get() else { continue }
                let more = try lax.get()
                expect(more.isSame(as: drawn), "seed \(seed)")
                expectEqual(more.damage, drawn.damage, "seed \(seed)")
            }
            expect((try? results[2].get().damage).map { $0 == [] } ?? true)
            expect((try? results[1].get().damage).map { !$0.contains(.missingPixels) } ?? true)
        }
    }

    @Test func `a JPEG of twelve bits is of a kind that is not read, and not broken`() throws {
        var bytes = try Fixture.named("baseline-444.jpg").bytes
        let frame = try required(bytes.indices.dropLast().first { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xC0 })
        bytes[frame + 4] = 12
        expectEqual(code(bytes), .unsupportedFormat)
        // Bytes that fill, and a marker that says nothing, change nothing.
        let plain = try Fixture.named("baseline-444.jpg").bytes
        let filled = plain[..<frame] + [0xFF, 0x01, 0xFF, 0xFF] + plain[frame...]
        try expect(decode(Array(filled)).isSame(as: decode(plain)))
    }

    @Test func `broken codes of a GIF are corrupt data, and a file that is cut lacks its end`() throws {
        let file = try ImageCoders.default.encode(ImageFactory.picture(width: 60, height: 40, seed: 3), as: .gif)
        let data = file.count / 2
        let found = try (data..<data + 40).map { place in
            var broken = file
            broken[place] = 0xFF
            return try decode(broken, .never).damage
        }
        expect(found.contains([.missingPixels, .corruptData]))
        try expectEqual(decode(Array(file[..<data]), .never).damage, [.missingPixels, .missingEnd])
    }

    @Test func `broken data in a JPEG are damage, and an error for a policy that refuses any`() throws {
        let bytes = try Fixture.named("baseline-444.jpg").bytes
        let scan = try required(bytes.indices.dropLast().last { bytes[$0] == 0xFF && bytes[$0 + 1] == 0xDA })
        var found = 0
        for place in stride(from: scan + 20, to: bytes.count - 20, by: 7) {
            var broken = bytes
            broken[place] ^= 0x55
            guard let image = try? decode(broken), image.damage == .corruptData else { continue }
            found += 1
            expectEqual(code(broken, .anyDamage), .malformed)
        }
        expect(found, >, 5)
        // A scan that ends early breaks the rules where an end follows, and is cut where none does.
        let short = Array(bytes.dropLast(60))
        expectEqual(code(short), .truncated)
        expectEqual(code(short + [0xFF, 0xD9]), .malformed)
        try expectEqual(decode(short + [0xFF, 0xD9], .never).damage, .missingPixels)
    }
}
