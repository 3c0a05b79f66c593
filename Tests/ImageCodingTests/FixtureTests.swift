// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("Fixtures")
struct FixtureTests {
    @Test func `every fixture is listed`() {
        expectEqual(Fixture.all.count, 109)
    }

    @Test(arguments: Fixture.all)
    func `a fixture decodes to the pixels that it was made from, alone and small`(fixture: Fixture) throws {
        let bytes = try fixture.bytes
        let image = try ImageCoders.default.decode(bytes)
        expectEqual(image.size, fixture.size)
        expectEqual(image.hasAlpha, fixture.hasAlpha)
        expectEqual(image.loopCount, fixture.loopCount)
        expectEqual(image.frames.map(\.duration), fixture.durations)
        if let expected = fixture.pixels {
            // Other versions of the lossy decoders may round differently.
            let actual = image.frames.flatMap(\.pixels)
            try #require(actual.count == expected.count)
            expect(PixelComparison(actual, expected).maxDifference, <=, 2)
        } else {
            expectEqual(image.frames.map { fnv1a($0.pixels) }, fixture.hashes)
        }
        // The first frame alone is the first of all frames.
        let first = try ImageCoders.default.decode(bytes, options: DecodeOptions(firstFrameOnly: true))
        expectEqual(first.frames.count, 1)
        expectEqual(first.frames[0].pixels, image.frames[0].pixels)
        expectEqual(first.frames[0].duration, .zero)
        expectEqual(first.loopCount, 0)
        // A thumbnail fits its box and keeps the shape.
        let box = PixelSize(width: 8, height: 6)
        let small = try ImageCoders.default.decode(bytes, options: DecodeOptions(thumbnail: .resize(to: box)))
        expectAll(small.width <= box.width, small.height <= box.height)
        if fixture.size.width > box.width { expect(small.width == box.width || small.height == box.height) }
        expectEqual(small.frames.map(\.duration), fixture.durations)
        expect(small.frames.allSatisfy { $0.pixels.count == small.width * small.height * 4 })
    }

    @Test(arguments: Fixture.all)
    func `the header of a fixture tells its properties, and whether its pixels are stored exactly`(
        fixture: Fixture
    ) throws {
        let properties = try ImageCoders.default.properties(of: fixture.bytes)
        expectEqual(properties.format, fixture.format)
        expectEqual(properties.size, fixture.size)
        expectEqual(properties.frameCount, fixture.durations.count)
        expect(properties.hasAlpha || !fixture.hasAlpha)
        let isExact =
            fixture.format == .webp
            ? !fixture.name.contains("lossy") && fixture.name != "animated-alpha.webp" : fixture.format != .jpeg
        expectEqual(properties.isLossless, isExact)
    }
}
