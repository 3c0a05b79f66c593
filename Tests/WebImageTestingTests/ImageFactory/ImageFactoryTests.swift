import ImageCoding
import Testing
import WebImageTesting

@Suite("ImageFactory")
struct ImageFactoryTests {
    @Test(arguments: [0, 1, 777, 43_690, 65_535])
    func `a seed is read back from the pixels`(seed: Int) {
        #expect(ImageFactory.seed(of: ImageFactory.picture(width: 64, height: 48, seed: seed)) == seed)
    }

    @Test
    func `the same arguments give the same pixels, another seed gives others`() {
        let picture = ImageFactory.picture(width: 40, height: 30, seed: 5)
        #expect(picture.isSame(as: ImageFactory.picture(width: 40, height: 30, seed: 5)))
        #expect(!picture.isSame(as: ImageFactory.picture(width: 40, height: 30, seed: 6)))
    }

    @Test(
        arguments: [
            EncodedFormat.jpeg(quality: 40), .jpeg(quality: 60, isProgressive: true), .png, .png(level: 1), .gif,
            .webp(quality: 40), .losslessWebP,
        ])
    func `a seed survives every encoder`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 48, height: 36, seed: 12_345, as: format)
        #expect(ImageFormat(sniffing: bytes) == format.format)
        #expect(ImageFactory.seed(of: try ImageCoders.default.decode(bytes)) == 12_345)
    }

    @Test
    func `a seed survives a resize`() throws {
        let large = ImageFactory.picture(width: 200, height: 150, seed: 54_321)
        let small = try ResizeTransformer(size: PixelSize(width: 32, height: 32)).transform(large)
        #expect(small.size == PixelSize(width: 32, height: 24))
        #expect(ImageFactory.seed(of: small) == 54_321)
    }

    @Test
    func `frames of an animation differ and grow longer`() {
        let animation = ImageFactory.animation(width: 32, height: 32, frames: 4, seed: 9)
        #expect(Set(animation.frames.map(\.pixels)).count == 4)
        #expect(animation.durations == [50, 60, 70, 80].map { .milliseconds($0) })
    }

    @Test
    func `a picture with alpha is premultiplied`() {
        let picture = ImageFactory.picture(width: 32, height: 32, seed: 3, hasAlpha: true)
        let pixels = picture.pixels
        #expect(picture.hasAlpha)
        #expect(stride(from: 0, to: pixels.count, by: 4).contains { pixels[$0 + 3] < 255 })
        #expect(
            stride(from: 0, to: pixels.count, by: 4).allSatisfy {
                max(pixels[$0], pixels[$0 + 1], pixels[$0 + 2]) <= pixels[$0 + 3]
            })
    }

    @Test
    func `the oversized picture is small as a file and refused`() throws {
        let bytes = ImageFactory.oversizedPNG()
        #expect(bytes.count < 130_000)
        #expect(try ImageCoders.default.properties(of: bytes).size == PixelSize(width: 30_000, height: 30_000))
        let error = #expect(throws: ImageError.self) { try ImageCoders.default.decode(bytes) }
        #expect(error?.code == .tooLarge)
    }

    @Test(arguments: [1, 7, 8, 300])
    func `an oversized picture of a moderate size is valid and black`(side: Int) throws {
        let image = try ImageCoders.default.decode(ImageFactory.oversizedPNG(side))
        #expect(image.size == PixelSize(width: side, height: side))
        #expect(stride(from: 0, to: image.byteCount, by: 4).allSatisfy { image.pixels[$0] == 0 })
    }

    @Test
    func `the frame bomb is refused`() throws {
        let bytes = ImageFactory.frameBombGIF()
        #expect(bytes.count < 60_000)
        let error = #expect(throws: ImageError.self) { try ImageCoders.default.decode(bytes) }
        #expect(error?.code == .tooLarge)
    }

    @Test
    func `random bytes are not a picture, half a file is refused`() throws {
        let noise = ImageFactory.randomBytes(count: 1_000, seed: 4)
        #expect(noise == ImageFactory.randomBytes(count: 1_000, seed: 4))
        let error = #expect(throws: ImageError.self) { try ImageCoders.default.decode(noise) }
        #expect(error?.code == .unknownFormat)
        let half = ImageFactory.truncated(try ImageFactory.encoded(width: 64, height: 48, seed: 1))
        let truncation = #expect(throws: ImageError.self) { try ImageCoders.default.decode(half) }
        #expect(truncation?.code == .truncated)
    }
}
