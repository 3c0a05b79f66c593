import TestSupport
import Testing
import WebImageTesting

// SPDX-License-Identifier: MIT
@testable import ImageCoding

@Suite("Fixtures")
struct FixtureTests {
    @Test
    func `every fixture is listed`() {
        expectEqual(Fixture.all.count, 109)
    }

    @Test(arguments: Fixture.all)
    func `a fixture decodes to the pixels that it was made from`(fixture: Fixture) throws {
        let image = try ImageCoders.default.decode(fixture.bytes)
        expectEqual(image.size, fixture.size)
        expectEqual(image.hasAlpha, fixture.hasAlpha)
        expectEqual(image.loopCount, fixture.loopCount)
        expectEqual(image.frames.map(\.duration), fixture.durations)
        if let expected = fixture.pixels {
            // Other versions of the lossy decoders may round differently.
            let actual = image.frames.flatMap(\.pixels)
            try #require(actual.count == expected.count)
            #expect(PixelComparison(actual, expected).maxDifference <= 2)
        } else {
            expectEqual(image.frames.map { fnv1a($0.pixels) }, fixture.hashes)
        }
    }

    @Test(arguments: Fixture.all)
    func `the properties of a fixture are in its header`(fixture: Fixture) throws {
        let properties = try ImageCoders.default.properties(of: fixture.bytes)
        expectEqual(properties.format, fixture.format)
        expectEqual(properties.size, fixture.size)
        expectEqual(properties.frameCount, fixture.durations.count)
        #expect(properties.hasAlpha || !fixture.hasAlpha)
    }

    @Test(arguments: Fixture.all)
    func `a file says whether it stores its pixels exactly`(fixture: Fixture) throws {
        let isLossless = try ImageCoders.default.properties(of: fixture.bytes).isLossless
        let isWebP = fixture.format == .webp
        expectEqual(
            isLossless,
            (isWebP
                ? !fixture.name.contains("lossy") && fixture.name != "animated-alpha.webp"
                : fixture.format != .jpeg))
    }

    @Test(arguments: Fixture.all)
    func `the first frame alone equals the first of all frames`(fixture: Fixture) throws {
        let first = try ImageCoders.default.decode(fixture.bytes, options: DecodeOptions(firstFrameOnly: true))
        let all = try ImageCoders.default.decode(fixture.bytes)
        expectEqual(first.frames.count, 1)
        expectEqual(first.frames[0].pixels, all.frames[0].pixels)
        expectEqual(first.frames[0].duration, .zero)
        expectEqual(first.loopCount, 0)
    }

    @Test(arguments: Fixture.all)
    func `a thumbnail fits its box and keeps the shape`(fixture: Fixture) throws {
        let box = PixelSize(width: 8, height: 6)
        let image = try ImageCoders.default.decode(fixture.bytes, options: DecodeOptions(thumbnail: .resize(to: box)))
        #expect(image.width <= box.width && image.height <= box.height)
        if fixture.size.width > box.width { #expect(image.width == box.width || image.height == box.height) }
        expectEqual(image.frames.map(\.duration), fixture.durations)
        expect(image.frames.allSatisfy { $0.pixels.count == image.width * image.height * 4 })
    }
}
