// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Animated PNGs, made here chunk by chunk.
@Suite("PNG animations")
struct PNGAnimationTests {
    private struct Frame {
        var x = 0
        var y = 0
        var width = 8
        var height = 6
        var color: [UInt8] = [255, 0, 0, 255]
        var disposal: UInt8 = 0
        var isBlended = false
        var delay: (UInt8, UInt8) = (1, 10)
    }

    private static let size = PixelSize(width: 8, height: 6)

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func chunk(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + payload
        let sum = body.reduce(0xFFFF_FFFF as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        return bigEndian(payload.count) + body + bigEndian(Int(~sum))
    }

    /// The compressed rows of a picture of one colour, with alpha.
    private static func data(_ width: Int, _ height: Int, _ color: [UInt8]) throws -> [UInt8] {
        // A pixel of another alpha keeps the encoder from leaving alpha out.
        let pixels = (0..<width * height).flatMap { _ in color[3] == 0 ? [0, 0, 0, 0] : color }
        let image = try DecodedImage(width: width, height: height, frames: [.init(pixels: pixels)], hasAlpha: true)
        let file = try ImageCoders.default.encode(image, as: .png)
        let start = try required(file.indices.first { file[$0...].starts(with: "IDAT".utf8) })
        let length = file[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
        return Array(file[start + 4..<start + 4 + length])
    }

    private static func file(
        _ frames: [Frame], plays: Int = 3, announced: Int? = nil, hidesDefault: Bool = false
    ) throws -> [UInt8] {
        var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        file += chunk("IHDR", bigEndian(size.width) + bigEndian(size.height) + [8, 6, 0, 0, 0])
        file += chunk("acTL", bigEndian(announced ?? frames.count) + bigEndian(plays))
        if hidesDefault { file += chunk("IDAT", try data(8, 6, [9, 9, 9, 255])) }
        var sequence = 0
        for (index, frame) in frames.enumerated() {
            var control = bigEndian(sequence) + bigEndian(frame.width) + bigEndian(frame.height)
            control += bigEndian(frame.x) + bigEndian(frame.y)
            control += [0, frame.delay.0, 0, frame.delay.1, frame.disposal, frame.isBlended ? 1 : 0]
            file += chunk("fcTL", control)
            sequence += 1
            let rows = try data(frame.width, frame.height, frame.color)
            if index == 0, !hidesDefault {
                file += chunk("IDAT", rows)
            } else {
                // In two chunks.
                for part in [rows.prefix(9), rows.dropFirst(9)] {
                    file += chunk("fdAT", bigEndian(sequence) + part)
                    sequence += 1
                }
            }
        }
        return file + chunk("IEND", [])
    }

    private func decode(_ bytes: [UInt8], _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> DecodedImage {
        var options = DecodeOptions()
        change(&options)
        return try ImageCoders.default.decode(bytes, options: options)
    }

    private func pixel(_ image: DecodedImage, _ frame: Int, _ x: Int, _ y: Int) -> [UInt8] {
        Array(image.frames[frame].pixels[(y * 8 + x) * 4..<(y * 8 + x) * 4 + 4])
    }

    private static let (red, green, blue): ([UInt8], [UInt8], [UInt8]) = (
        [255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255]
    )

    @Test func `frames are drawn over each other, with their times and the number of plays`() throws {
        let bytes = try Self.file([
            Frame(), Frame(x: 2, y: 1, width: 3, height: 2, color: Self.green, delay: (3, 0)),
            Frame(x: 0, y: 0, width: 2, height: 2, color: Self.blue, delay: (0, 1)),
        ])
        let properties = try ImageCoders.default.properties(of: bytes)
        expectEqual(properties.frameCount, 3)
        let image = try decode(bytes)
        expectEqual(image.frameCount, 3)
        expectEqual(image.loopCount, 3)
        expectEqual(image.durations, [.milliseconds(100), .milliseconds(30), .milliseconds(100)])
        expect(!image.hasAlpha)
        expectEqual(pixel(image, 0, 2, 1), Self.red)
        expectEqual(pixel(image, 1, 2, 1), Self.green)
        expectEqual(pixel(image, 1, 5, 1), Self.red)
        expectEqual(pixel(image, 2, 0, 0), Self.blue)
        expectEqual(pixel(image, 2, 4, 2), Self.green)
        let onDemand = try decode(bytes) { $0.framesOnDemand = true }
        for index in [2, 0, 1] {
            try expectEqual(onDemand.frame(at: index).pixels, image.frame(at: index).pixels)
        }
        let first = try decode(bytes) { $0.firstFrameOnly = true }
        expectEqual(first.frameCount, 1)
        expectEqual(first.pixels, image.pixels)
        expectEqual(first.durations, [.zero])
    }

    @Test func `a frame is cleared, restored or blended as its control says`() throws {
        let image = try decode(
            Self.file([
                Frame(), Frame(x: 1, y: 1, width: 2, height: 2, color: Self.green, disposal: 2),
                Frame(x: 5, y: 1, width: 2, height: 2, color: Self.blue, disposal: 1),
                Frame(x: 7, y: 5, width: 1, height: 1, color: Self.green),
            ]))
        expectEqual(pixel(image, 1, 1, 1), Self.green)
        expectEqual(pixel(image, 2, 1, 1), Self.red)
        expectEqual(pixel(image, 2, 5, 1), Self.blue)
        expectEqual(pixel(image, 3, 5, 1), [0, 0, 0, 0])
        expectEqual(pixel(image, 3, 4, 1), Self.red)
        expect(image.hasAlpha)
        let restored = try decode(Self.file([Frame(disposal: 2), Frame(width: 1, height: 1, color: Self.blue)]))
        expectEqual(pixel(restored, 1, 3, 3), [0, 0, 0, 0])
        // A frame replaces the canvas or is blended over it.
        let half: [UInt8] = [128, 128, 0, 128]
        func second(_ isBlended: Bool) throws -> [UInt8] {
            try pixel(decode(Self.file([Frame(color: Self.blue), Frame(color: half, isBlended: isBlended)])), 1, 3, 3)
        }
        try expectEqual(second(false), half)
        try expect(PixelComparison(second(true), [128, 128, 127, 255]).maxDifference <= 1)
        // The palette and its alpha count for every frame: here one colour, half seen.
        let screen = Self.bigEndian(8) + Self.bigEndian(6)
        let control = screen + [UInt8](repeating: 0, count: 8) + [0, 1, 0, 10, 0, 0]
        // Behind the name of a profile and two zeros.
        let rows = try required(PNGProfile.deflated([UInt8](repeating: 0, count: 6 * 9))).dropFirst(13)
        var file = PNGHeader.signature + Self.chunk("IHDR", screen + [8, 3, 0, 0, 0])
        file += Self.chunk("acTL", Self.bigEndian(2) + Self.bigEndian(0))
        file += Self.chunk("PLTE", [255, 0, 0]) + Self.chunk("tRNS", [128])
        file += Self.chunk("fcTL", Self.bigEndian(0) + control) + Self.chunk("IDAT", Array(rows))
        file += Self.chunk("fcTL", Self.bigEndian(1) + control) + Self.chunk("fdAT", Self.bigEndian(2) + rows)
        let shown = try decode(file + Self.chunk("IEND", []))
        expectEqual([pixel(shown, 0, 3, 3), pixel(shown, 1, 3, 3)], [[128, 0, 0, 128], [128, 0, 0, 128]])
    }

    @Test
    func `a default picture that is no frame is not shown, and one of an animation that breaks the rules is`() throws {
        let hidden = try decode(Self.file([Frame(), Frame(color: Self.green)], hidesDefault: true))
        expectEqual(hidden.frameCount, 2)
        expectEqual(pixel(hidden, 0, 0, 0), Self.red)
        for frame in [
            Frame(x: 1), Frame(y: 6), Frame(width: 1, disposal: 3), Frame(x: 7, width: 2),
        ] {
            let bytes = try Self.file([Frame(), frame])
            let image = try decode(bytes)
            expectEqual(image.frameCount, 1)
            expectEqual(pixel(image, 0, 0, 0), Self.red)
            try expectEqual(ImageCoders.default.properties(of: bytes).frameCount, 1)
        }
        var bytes = try Self.file([Frame(), Frame()])
        // The sequence number of the second control.
        let control = try required(bytes.indices.last { bytes[$0...].starts(with: "fcTL".utf8) })
        bytes[control + 7] = 9
        try expectEqual(decode(bytes).frameCount, 1)
        try expectEqual(decode(Self.file([Frame(), Frame()], announced: 0)).frameCount, 1)
    }

    @Test func `data out of order and an announcement after the picture make no animation`() throws {
        func parts(_ file: [UInt8], _ type: String) -> [Range<Int>] {
            file.indices.filter { file[$0...].starts(with: type.utf8) }.map { start in
                let length = file[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
                return start - 4..<start + 8 + length
            }
        }
        func expectStill(_ bytes: [UInt8]) throws {
            try expectEqual(ImageCoders.default.properties(of: bytes).frameCount, 1)
            let image = try decode(bytes)
            expectEqual(image.frameCount, 1)
            expectEqual(pixel(image, 0, 0, 0), Self.red)
        }
        let file = try Self.file([Frame(), Frame(color: Self.green)])
        let data = parts(file, "fdAT")
        try #require(data.count == 2)
        var swapped = Array(file[..<data[0].lowerBound])
        swapped += file[data[1]]
        swapped += file[data[0]]
        swapped += file[data[1].upperBound...]
        try expectStill(swapped)
        let announcement = try required(parts(file, "acTL").first)
        let picture = try required(parts(file, "IDAT").first)
        var late = Array(file[..<announcement.lowerBound])
        late += file[announcement.upperBound..<picture.upperBound]
        late += file[announcement]
        late += file[picture.upperBound...]
        try expectStill(late)
    }

    @Test func `frames, their pixels and their memory are limited`() throws {
        let bytes = try Self.file((0..<5).map { _ in Frame() })
        func code(_ limits: ImageLimits) -> ImageError.Code? {
            do {
                _ = try decode(bytes) { $0.limits = limits }
                return nil
            } catch { return (error as? ImageError)?.code }
        }
        expectNil(code(ImageLimits(maximumFrameCount: 5, maximumAnimationPixelCount: 240)))
        expectEqual(code(ImageLimits(maximumFrameCount: 4)), .tooLarge)
        expectEqual(code(ImageLimits(maximumAnimationPixelCount: 239)), .tooLarge)
        let cost = try ImageCoders.default.decodingByteCount(of: bytes)
        expectNil(code(ImageLimits(maximumByteCount: cost)))
        expectEqual(code(ImageLimits(maximumByteCount: cost - 1)), .memoryLimitExceeded)
        let few = try decode(bytes) {
            $0.limits = ImageLimits(maximumFrameCount: 1)
            $0.firstFrameOnly = true
        }
        expectEqual(few.frameCount, 1)
        expectEqual(code(ImageLimits(maximumDrawnPixelCount: 100)), .workLimitExceeded)
    }

    @Test func `a file that ends early is truncated, or shows the frames it has`() throws {
        let bytes = try Self.file([Frame(), Frame(color: Self.green), Frame(color: Self.blue)])
        let noEnd = Array(bytes.dropLast(12))
        try expectEqual(decode(noEnd).damage, .missingEnd)
        expectImageError { try decode(noEnd) { $0.failOn = .anyDamage } }
        for length in 33..<bytes.count {
            let cut = Array(bytes.prefix(length))
            expectImageError { try decode(cut) { $0.failOn = .anyDamage } }
            if let image = try? decode(cut) {
                expectEqual(image.damage, .missingEnd)
                expectEqual(image.frameCount, 3)
            }
            if let image = try? decode(cut, { $0.failOn = .never }) { expect(!image.damage.isEmpty) }
        }
        let two = try decode(Array(bytes.prefix(bytes.count - 40))) { $0.failOn = .never }
        expect(two.frameCount == 2 || two.frameCount == 3)
    }

    @Test func `a wrong check sum of a frame is an error unless none may fail`() throws {
        var bytes = try Self.file([Frame(), Frame(color: Self.green)])
        // The last byte of the check sum before the end.
        bytes[bytes.count - 13] ^= 1
        expectImageError(.malformed) { try decode(bytes) }
        let image = try decode(bytes) { $0.failOn = .never }
        expectEqual(pixel(image, 1, 0, 0), Self.green)
    }

    @Test func `flipped bits give a picture or an error`() throws {
        let bytes = try Self.file([Frame(), Frame(x: 1, y: 1, width: 3, height: 3, disposal: 2), Frame(disposal: 1)])
        for seed in 0..<1_500 {
            var broken = bytes
            let noise = ImageFactory.randomBytes(count: 6, seed: seed)
            for flip in 0..<2 {
                let place = (Int(noise[flip * 2]) << 8 | Int(noise[flip * 2 + 1])) % bytes.count
                broken[place] ^= 1 << (noise[4] & 7)
            }
            do {
                _ = try? ImageCoders.default.properties(of: broken)
                let image = try decode(broken) {
                    $0.failOn = DamagePolicy.allCases[seed % 3]
                    $0.limits.maximumPixelCount = 100_000
                    $0.framesOnDemand = seed % 2 == 0
                }
                for index in 0..<image.frameCount { _ = try? image.frame(at: index) }
            } catch { expect(error is ImageError, "seed \(seed): \(error)") }
        }
    }
}
