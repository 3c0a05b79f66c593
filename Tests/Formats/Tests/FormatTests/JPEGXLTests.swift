// SPDX-License-Identifier: MIT
import ImageCoding
import Testing

@Suite
struct JPEGXLTests {
    private static let moving = "moving.jxl"

    @Test
    func `every kind of JPEG XL has the pixels that djxl draws`() throws {
        let pictures = Picture.all("jxl").filter { $0.name != JPEGXLTests.moving }
        try #require(pictures.count == 83)
        for picture in pictures {
            let image = try ImageCoders.default.decode(picture.bytes)
            #expect(image.size == picture.size, "\(picture.name)")
            let decibels = similarity(image.pixels, picture.pixels)
            // djxl writes sixteen bits, of which Pillow drops the low ones.
            let isExact = picture.name.hasPrefix("lossless")
            #expect(decibels > (isExact ? .greatestFiniteMagnitude : 45), "\(picture.name): \(decibels)")
            #expect(image.hasAlpha == !picture.isOpaque, "\(picture.name)")
            let properties = try ImageCoders.default.properties(of: picture.bytes)
            #expect(properties.size == picture.size, "\(picture.name)")
            #expect(properties.frameCount == 1)
        }
    }

    @Test
    func `an animation has its frames, their times and thumbnails`() throws {
        let picture = try #require(Picture.named(JPEGXLTests.moving))
        let image = try ImageCoders.default.decode(picture.bytes)
        #expect(image.durations == [50, 70, 200, 40].map { .milliseconds($0) })
        let drawn = try (0..<image.frameCount).flatMap { try image.frame(at: $0).pixels }
        #expect(similarity(drawn, picture.pixels) == .infinity)
        #expect(image.hasAlpha)
        #expect(image.loopCount == 3)
        #expect(try ImageCoders.default.properties(of: picture.bytes).frameCount == 4)
        #expect(try ImageCoders.default.properties(of: Array(picture.bytes.prefix(3_000))).frameCount == nil)
        let box = ResizeTransformer(size: PixelSize(width: 20, height: 20))
        let small = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(thumbnail: box))
        let whole = try box.transform(image)
        #expect(try similarity(small.frame(at: 3).pixels, whole.frame(at: 3).pixels) == .infinity)
        let first = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(firstFrameOnly: true))
        #expect(first.frameCount == 1)
        #expect(similarity(first.pixels, image.pixels) == .infinity)
        let run = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(frames: .run(1..<3)))
        #expect(run.durations == [.milliseconds(70), .milliseconds(200)])
        #expect(try similarity(run.frame(at: 1).pixels, image.frame(at: 2).pixels) == .infinity)
        let still = try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(frames: .run(3..<4)))
        #expect(still.durations == [.zero])
        #expect(still.loopCount == 0)
        #expect(try similarity(still.pixels, image.frame(at: 3).pixels) == .infinity)
        #expect(throws: ImageError.self) {
            try ImageCoders.default.decode(picture.bytes, options: DecodeOptions(frames: .run(4..<5)))
        }
        // Each frame that is kept takes memory: three of four do, and one alone is the bitmap itself.
        let byteCounts = try [0..<4, 0..<3, 0..<1].map {
            try ImageCoders.default.decodingByteCount(of: picture.bytes, options: DecodeOptions(frames: .run($0)))
        }
        #expect(byteCounts[0] - byteCounts[1] == 60 * 40 * 4)
        #expect(byteCounts[0] - byteCounts[2] == 60 * 40 * 4 * 4)
    }

    @Test
    func `a tick of an animation may last any time`() throws {
        var bytes = try #require(Picture.named(JPEGXLTests.moving)).bytes
        // Bit 35 of the header: a tick lasts 1001 / 1000 seconds, and not 1 / 1000.
        bytes[4] |= 8
        let durations = try ImageCoders.default.decode(bytes).durations
        #expect(durations == [50_050, 70_070, 200_200, 40_040].map { .milliseconds($0) })
    }

    @Test
    func `limits have codes of their own`() throws {
        let still = try #require(Picture.named("lossy-RGB-301.jxl")).bytes
        let moving = try #require(Picture.named(JPEGXLTests.moving)).bytes
        let byteCount = try ImageCoders.default.decodingByteCount(of: still)
        #expect(code(of: still, ImageLimits(maximumPixelCount: 60_199)) == .tooLarge)
        #expect(code(of: still, ImageLimits(maximumByteCount: byteCount - 1)) == .memoryLimitExceeded)
        #expect(code(of: still, ImageLimits(maximumDrawnPixelCount: 60_199)) == .workLimitExceeded)
        #expect(code(of: moving, ImageLimits(maximumFrameCount: 3)) == .tooLarge)
        #expect(code(of: moving, ImageLimits(maximumAnimationPixelCount: 9_599)) == .tooLarge)
        #expect(code(of: moving, ImageLimits(maximumDrawnPixelCount: 9_599)) == .workLimitExceeded)
        let enough = ImageLimits(
            maximumPixelCount: 60_200, maximumFrameCount: 4, maximumAnimationPixelCount: 9_600,
            maximumByteCount: byteCount, maximumDrawnPixelCount: 60_200)
        for bytes in [still, moving] {
            #expect(throws: Never.self) {
                try ImageCoders.default.decode(bytes, options: DecodeOptions(limits: enough))
            }
        }
    }

    @Test
    func `a file that ends early is an error or what there is of it`() throws {
        for name in ["progressive-RGB-301.jxl", JPEGXLTests.moving] {
            let picture = try #require(Picture.named(name))
            let bytes = Array(picture.bytes.prefix(picture.bytes.count * 3 / 4))
            let error = #expect(throws: ImageError.self) { try ImageCoders.default.decode(bytes) }
            #expect(error?.code == .truncated)
            let image = try ImageCoders.default.decode(bytes, options: DecodeOptions(failOn: .never))
            #expect(image.damage == [.missingEnd, .missingPixels])
            #expect(image.frameCount < 4)
            #expect(code(of: Array(bytes.prefix(8))) == .truncated)
        }
    }

    @Test
    func `an animation that is broken has the frames before`() throws {
        let picture = try #require(Picture.named(JPEGXLTests.moving))
        var bytes = picture.bytes
        for index in bytes.count * 5 / 8..<bytes.count * 6 / 8 { bytes[index] = 0x55 }
        #expect(code(of: bytes) == .malformed)
        let image = try ImageCoders.default.decode(bytes, options: DecodeOptions(failOn: .never))
        #expect(image.damage == [.corruptData, .missingPixels])
        #expect(image.durations == [50, 70].map { .milliseconds($0) })
        let drawn = try (0..<image.frameCount).flatMap { try image.frame(at: $0).pixels }
        #expect(drawn == Array(picture.pixels.prefix(drawn.count)))
    }

    @Test
    func `damaged files are pictures or typed errors, in little memory`() throws {
        let pictures = Picture.all("jxl").filter { $0.size.width < 70 }
        try #require(!pictures.isEmpty)
        try resetPeak()
        let before = try peakByteCount()
        let limits = ImageLimits(maximumPixelCount: 1_000_000, maximumByteCount: 64 << 20)
        #expect(try decodeDamaged(pictures, rounds: 8, limits: limits) > 0)
        #expect(try peakByteCount() - before < 192 << 20)
    }
}
