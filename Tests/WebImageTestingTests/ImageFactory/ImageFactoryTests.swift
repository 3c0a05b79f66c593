// SPDX-License-Identifier: MIT
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@Suite("ImageFactory")
struct ImageFactoryTests {
    @Test(arguments: [0, 1, 777, 43_690, 65_535]) func `a seed is read back from the pixels`(seed: Int) {
        for (width, height) in [(16, 16), (17, 40), (64, 48), (200, 100)] {
            for hasAlpha in [false, true] {
                let picture = ImageFactory.picture(width: width, height: height, seed: seed, hasAlpha: hasAlpha)
                expectEqual(ImageFactory.seed(of: picture), seed, "\(width)x\(height), alpha \(hasAlpha)")
            }
        }
    }

    @Test func `other pictures carry no seed, and a picture of a few pixels neither`() throws {
        for level in stride(from: 0, through: 255, by: 15) {
            let pixels = [[UInt8]](repeating: [UInt8(level), UInt8(255 - level), 128, 255], count: 1_200).flatMap { $0 }
            let plain = try DecodedImage(width: 40, height: 30, frames: [.init(pixels: pixels)], hasAlpha: false)
            expectNil(ImageFactory.seed(of: plain))
        }
        expectNil(ImageFactory.seed(of: ImageFactory.picture(width: 15, height: 40, seed: 3)))
    }

    @Test(arguments: 0..<10) func `a picture is drawn at every size, and one with alpha is premultiplied`(seed: Int) {
        // A picture is drawn at every size.
        for (width, height) in [(1, 1), (1, 300), (300, 1), (3, 2), (15, 15)] {
            let picture = ImageFactory.picture(width: width, height: height, seed: seed)
            expectEqual(picture.size, PixelSize(width: width, height: height))
            expect(stride(from: 3, to: picture.byteCount, by: 4).allSatisfy { picture.pixels[$0] == 255 })
        }

        // A picture with alpha is premultiplied.
        let picture = ImageFactory.picture(width: 32, height: 32, seed: 3, hasAlpha: true)
        let pixels = picture.pixels
        expect(picture.hasAlpha)
        expect(stride(from: 0, to: pixels.count, by: 4).contains { pixels[$0 + 3] < 255 })
        expect(
            stride(from: 0, to: pixels.count, by: 4).allSatisfy {
                max(pixels[$0], pixels[$0 + 1], pixels[$0 + 2]) <= pixels[$0 + 3]
            })
    }

    @Test func `the same arguments give the same pixels, on every machine, and another seed gives others`() {
        // The same arguments give the same pixels, another seed gives others.
        do {
            let picture = ImageFactory.picture(width: 40, height: 30, seed: 5)
            expect(picture.isSame(as: ImageFactory.picture(width: 40, height: 30, seed: 5)))
            expect(!picture.isSame(as: ImageFactory.picture(width: 40, height: 30, seed: 6)))
        }

        // The pixels are the same on every machine.
        // The digests are those of the pictures as they are now: they tell one machine from another, not right from wrong.
        let digests = (0..<10).map { seed in
            let pixels = ImageFactory.picture(width: 96, height: 64, seed: seed).pixels
            return pixels.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        }
        expectEqual(digests, Self.digests)
    }

    private static let digests: [UInt64] = [
        7_777_417_958_885_456_019, 10_521_336_676_638_923_910, 13_445_367_359_351_184_381, 3_107_671_650_467_377_401,
        13_323_096_236_307_293_797, 1_471_548_427_601_226_502, 12_447_187_400_688_272_674, 11_278_505_867_585_133_712,
        18_396_337_505_465_565_535, 12_382_464_315_417_512_029,
    ]

    @Test(
        arguments: [
            EncodedFormat.jpeg(quality: 40), .jpeg(quality: 60, isProgressive: true), .png, .png(level: 1), .gif,
            .webp(quality: 40), .losslessWebP,
        ])
    func `a seed survives every encoder`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 48, height: 36, seed: 12_345, as: format)
        expectEqual(ImageFormat(sniffing: bytes), format.format)
        expectEqual(ImageFactory.seed(of: try ImageCoders.default.decode(bytes)), 12_345)
    }

    @Test(arguments: 0..<10) func `a seed survives JPEG and a resize`(seed: Int) throws {
        for (width, height, side) in [(96, 64, 24), (200, 300, 32), (320, 200, 40)] {
            let bytes = try ImageFactory.encoded(width: width, height: height, seed: seed, as: .jpeg(quality: 75))
            let small = try ResizeTransformer(size: PixelSize(width: side, height: side)).transform(
                ImageCoders.default.decode(bytes))
            expect(min(small.width, small.height), >=, 16)
            expectEqual(ImageFactory.seed(of: small), seed)
        }
    }

    @Test(arguments: 0..<10)
    func `every picture moves, its frames differ and grow longer, and each carries the seed`(seed: Int) throws {
        // Every picture moves, and each frame carries the seed.
        for (width, height) in [(8, 8), (20, 15), (64, 48)] {
            let animation = ImageFactory.animation(width: width, height: height, frames: 2, seed: seed)
            let (first, second) = (animation.frames[0].pixels, animation.frames[1].pixels)
            expectEqual(first, ImageFactory.picture(width: width, height: height, seed: seed).pixels)
            expect(first != second)
            guard height >= 16 else { continue }
            let still = try DecodedImage(width: width, height: height, frames: [.init(pixels: second)], hasAlpha: false)
            expectEqual(ImageFactory.seed(of: still), seed)
        }

        // Frames of an animation differ and grow longer.
        let animation = ImageFactory.animation(width: 32, height: 32, frames: 4, seed: 9)
        expectEqual(Set(animation.frames.map(\.pixels)).count, 4)
        expectEqual(animation.durations, [50, 60, 70, 80].map { .milliseconds($0) })
    }

    @Test func `the oversized picture and the frame bomb are refused, as are random bytes and half a file`() throws {
        // The oversized picture is small as a file and refused.
        let bytes = ImageFactory.oversizedPNG()
        expect(bytes.count, <, 130_000)
        try expectEqual(ImageCoders.default.properties(of: bytes).size, PixelSize(width: 30_000, height: 30_000))
        let error = expectError(ImageError.self) { try ImageCoders.default.decode(bytes) }
        expectEqual(error?.code, .tooLarge)

        // The frame bomb is refused.
        do {
            let bytes = ImageFactory.frameBombGIF()
            expect(bytes.count, <, 60_000)
            let error = expectError(ImageError.self) { try ImageCoders.default.decode(bytes) }
            expectEqual(error?.code, .tooLarge)
        }

        // Random bytes are not a picture, half a file is refused.
        do {
            let noise = ImageFactory.randomBytes(count: 1_000, seed: 4)
            expectEqual(noise, ImageFactory.randomBytes(count: 1_000, seed: 4))
            let error = expectError(ImageError.self) { try ImageCoders.default.decode(noise) }
            expectEqual(error?.code, .unknownFormat)
            let half = ImageFactory.truncated(try ImageFactory.encoded(width: 64, height: 48, seed: 1))
            let truncation = expectError(ImageError.self) { try ImageCoders.default.decode(half) }
            expectEqual(truncation?.code, .truncated)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 33]) func `a bitmap and an icon are the picture that they were made of`(side: Int)
        throws
    {
        let picture = ImageFactory.picture(width: side, height: 2, seed: 7)
        let file = ImageFactory.bitmapFile(width: side, height: 2, seed: 7)
        expectEqual(file.count % 4, 54 % 4, "rows end at multiples of four bytes")
        expect(try ImageCoders.default.decode(file).isSame(as: picture))
        let icon = try ImageCoders.default.decode(ImageFactory.iconFile(side: side, seed: 7))
        expectEqual(icon.size, PixelSize(width: side, height: side))
        // Half transparent, in four bytes a pixel and one bit in rows of four bytes.
        expect(stride(from: 3, to: icon.byteCount, by: 4).allSatisfy { icon.pixels[$0] == 128 })
        expectEqual(ImageFactory.iconFile(side: side, seed: 7).count, 62 + side * (side + (side + 31) / 32) * 4)
    }

    @Test func `a picture with alpha fades in its bottom right quarter, from opaque to transparent`() {
        let picture = ImageFactory.picture(width: 40, height: 20, seed: 3, hasAlpha: true)
        func alpha(_ x: Int, _ y: Int) -> UInt8 { picture.pixels[(y * 40 + x) * 4 + 3] }
        expectEqual([alpha(19, 19), alpha(39, 9), alpha(20, 10), alpha(39, 10), alpha(39, 19)], [255, 255, 255, 0, 0])
        expectAll(alpha(21, 15) > alpha(30, 15), alpha(30, 15) > alpha(38, 15))
    }

    @Test func `pictures are the same when their pixels, their times and their transparency are`() throws {
        func image(_ milliseconds: Int, loops: Int = 0, hasAlpha: Bool = false, _ shade: UInt8 = 1) throws
            -> DecodedImage
        {
            let frames = [shade, 2].map { shade in
                DecodedImage.Frame(pixels: [shade, shade, shade, 255], duration: .milliseconds(milliseconds))
            }
            return try DecodedImage(width: 1, height: 1, frames: frames, loopCount: loops, hasAlpha: hasAlpha)
        }
        let one = try image(100)
        expect(try one.isSame(as: image(100)))
        for other in [try image(90), try image(100, loops: 3), try image(100, hasAlpha: true), try image(100, 3)] {
            expect(!one.isSame(as: other))
        }
        let shapes = try [(1, 2), (2, 1)].map { width, height in
            let frame = DecodedImage.Frame(pixels: [UInt8](repeating: 255, count: 8))
            return try DecodedImage(width: width, height: height, frames: [frame], hasAlpha: false)
        }
        expect(!shapes[0].isSame(as: shapes[1]))
    }

    @Test func `hostile files are what was asked for`() throws {
        expectEqual(ImageFactory.randomBytes(count: 9, seed: 4), ImageFactory.randomBytes(count: 9, seed: 4))
        expect(ImageFactory.randomBytes(count: 9, seed: 4) != ImageFactory.randomBytes(count: 9, seed: 260))
        for disposal in 0...3 as ClosedRange<UInt8> {
            let file = ImageFactory.fullFrameGIF(frames: 3, side: 9, disposal: disposal)
            // The first extension, which controls a frame, is behind a header of 19 bytes.
            expectEqual(Array(file[19..<21]) + [file[22] >> 2], [0x21, 0xF9, disposal])
            try expectEqual(
                ImageCoders.default.decode(file).durations,
                [.milliseconds(100), .milliseconds(100), .milliseconds(100)])
        }
    }

    @Test(arguments: [1, 7, 8, 300])
    func `an oversized picture of a moderate size is valid and black`(side: Int) throws {
        let image = try ImageCoders.default.decode(ImageFactory.oversizedPNG(side))
        expectEqual(image.size, PixelSize(width: side, height: side))
        expect(stride(from: 0, to: image.byteCount, by: 4).allSatisfy { image.pixels[$0] == 0 })
    }
}
