// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("ResizeTransformer")
struct ResizeTransformerTests {
    /// Pillow rounds and clips between its two passes.
    ///
    /// Where hard edges are enlarged, the overshoots differ.
    @Test(arguments: [("23x17", 50.0), ("60x9", 50.0), ("100x75", 45.0)])
    func `the result is like that of Pillow's Lanczos, smaller and larger`(name: String, decibels: Double) throws {
        let sides = name.split(separator: "x").compactMap { Int($0) }
        let source = try ImageCoders.default.decode(Fixture.named("resize.png").bytes)
        let box = PixelSize(width: sides[0], height: sides[1])
        let image = try ResizeTransformer(size: box, mode: .stretch, allowsEnlarging: true).transform(source)
        let expected = try Fixture.file("resize-\(name).rgba")
        try #require(image.byteCount == expected.count)
        let comparison = PixelComparison(image.frames[0].pixels, expected)
        expect(comparison.psnr, >=, decibels)
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `a box keeps its shape where nothing may grow, also for the result`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let side = { Int.random(in: 1...[4, 300, 9_000].randomElement(using: &generator)!, using: &generator) }
        let (source, box) = (PixelSize(width: side(), height: side()), PixelSize(width: side(), height: side()))
        for mode in [ResizeTransformer.Mode.fill, .stretch] {
            let resize = ResizeTransformer(size: box, mode: mode)
            let result = resize.resultSize(for: source)
            expectEqual(resize.resultSize(for: result), result)
            // One side is that of the picture or of the box, and the other one is less than a pixel too long.
            let factor = min(1, Double(source.width) / Double(box.width), Double(source.height) / Double(box.height))
            expect((-1e-6..<1).contains(Double(result.width) - Double(box.width) * factor))
            expect((-1e-6..<1).contains(Double(result.height) - Double(box.height) * factor))
        }
    }

    @Test func `one colour stays that colour up to the edges`() throws {
        for pixel: [UInt8] in [[255, 255, 255, 255], [12, 200, 77, 255], [10, 20, 30, 40], [0, 0, 0, 0]] {
            let pixels = (0..<41 * 29).flatMap { _ in pixel }
            let image = try DecodedImage(width: 41, height: 29, frames: [.init(pixels: pixels)], hasAlpha: true)
            for box in [
                PixelSize(width: 7, height: 5), PixelSize(width: 83, height: 61), PixelSize(width: 1, height: 1),
            ] {
                let result = try ResizeTransformer(size: box, mode: .stretch, allowsEnlarging: true).transform(image)
                expectEqual(result.frames[0].pixels, (0..<box.width * box.height).flatMap { _ in pixel })
            }
        }
    }

    @Test func `the result is premultiplied, hides no colours, and no colour rises above a low alpha`() throws {
        let source = ImageFactory.picture(width: 64, height: 64, seed: 21, hasAlpha: true)
        let small = try ResizeTransformer(size: PixelSize(width: 20, height: 20)).transform(source).frames[0].pixels
        expect(small.chunks.allSatisfy { max($0[0], $0[1], $0[2]) <= $0[3] })
        // Half transparent all over, with hard edges in the colours alone.
        let pixels = (0..<64 * 8).flatMap { index -> [UInt8] in
            index % 64 / 8 % 2 == 0 ? [128, 0, 128, 128] : [0, 128, 0, 128]
        }
        let image = try DecodedImage(width: 64, height: 8, frames: [.init(pixels: pixels)], hasAlpha: true)
        for width in [40, 150] {
            let box = PixelSize(width: width, height: 8)
            let result = try ResizeTransformer(size: box, mode: .stretch, allowsEnlarging: true).transform(image)
            let resized = result.frames[0].pixels
            expect(stride(from: 0, to: resized.count, by: 4).allSatisfy { resized[$0 + 3] == 128 })
            expect(resized.allSatisfy { $0 <= 128 })
        }
    }

    @Test func `an animation is resized frame by frame`() throws {
        let animation = ImageFactory.animation(width: 64, height: 48, frames: 3, seed: 2)
        let transformer = ResizeTransformer(size: PixelSize(width: 32, height: 32))
        let result = try transformer.transform(animation)
        expectEqual(result.frames.map(\.duration), animation.frames.map(\.duration))
        for (frame, original) in zip(result.frames, animation.frames) {
            let still = try DecodedImage(width: 64, height: 48, frames: [original], hasAlpha: false)
            try expectEqual(transformer.transform(still).frames[0].pixels, frame.pixels)
        }
    }

    @Test func `the limits apply to enlarging in either direction, and a box without area is refused`() {
        let image = ImageFactory.picture(width: 8, height: 8, seed: 1)
        let rows: [(width: Int, height: Int, mode: ResizeTransformer.Mode, code: ImageError.Code)] = [
            (8, 65_501, .stretch, .tooLarge), (8, 65_501, .fill, .tooLarge), (65_501, 8, .stretch, .tooLarge),
            (65_501, 8, .fill, .tooLarge), (60_000, 60_000, .fit, .tooLarge), (0, 4, .fit, .invalidRequest),
        ]
        for (width, height, mode, code) in rows {
            let box = PixelSize(width: width, height: height)
            let resize = ResizeTransformer(size: box, mode: mode, allowsEnlarging: code == .tooLarge)
            expectImageError(code, "\(resize.key)") { try resize.transform(image) }
        }
    }
}
