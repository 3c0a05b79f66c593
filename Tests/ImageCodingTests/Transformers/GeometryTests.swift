// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("Geometry")
struct GeometryTests {
    /// A picture whose pixels hold their place: red is the column, green the row.
    private static func places(_ width: Int, _ height: Int) throws -> DecodedImage {
        let pixels = (0..<width * height).flatMap { [UInt8($0 % width), UInt8($0 / width), 7, 255] as [UInt8] }
        return try DecodedImage(width: width, height: height, frames: [.init(pixels: pixels)], hasAlpha: false)
    }

    private func pixel(_ image: DecodedImage, _ x: Int, _ y: Int) -> [UInt8] {
        Array(image.pixels[(y * image.width + x) * 4..<(y * image.width + x) * 4 + 4])
    }

    @Test func `gravity decides which part fills the box`() throws {
        let image = try Self.places(90, 30)
        func kept(_ gravity: Gravity) throws -> [UInt8] {
            let box = PixelSize(width: 30, height: 30)
            let result = try ResizeTransformer(size: box, mode: .fill, gravity: gravity).transform(image)
            return pixel(result, 0, 5)
        }
        try expectEqual(kept(.left), [0, 5, 7, 255])
        try expectEqual(kept(.center), [30, 5, 7, 255])
        try expectEqual(kept(.right), [60, 5, 7, 255])
        try expectEqual(kept(Gravity(x: 0.25, y: 0)), [15, 5, 7, 255])
        try expectEqual(kept(Gravity(x: -5, y: .nan)), kept(.left))
        let named: [Gravity] = [.topLeft, .top, .topRight, .left, .center, .right, .bottomLeft, .bottom, .bottomRight]
        for (index, gravity) in named.enumerated() {
            expectEqual([gravity.x, gravity.y], [Double(index % 3) / 2, Double(index / 3) / 2], "\(index)")
        }
    }

    @Test(arguments: 1...8)
    func `gravity keeps the same part of a turned picture when it is drawn small`(orientation: Int) throws {
        let bytes = try Fixture.named("orientation\(orientation).jpg").bytes
        let whole = try ImageCoders.default.decode(bytes)
        for gravity in [Gravity.topLeft, .bottomRight, .top, .left] {
            for box in [PixelSize(width: 5, height: 12), PixelSize(width: 14, height: 3)] {
                let resize = ResizeTransformer(size: box, mode: .fill, gravity: gravity)
                let small = try ImageCoders.default.decode(bytes, options: DecodeOptions(thumbnail: resize))
                try expect(PixelComparison(small.pixels, resize.transform(whole).pixels).psnr, >, 30)
            }
        }
    }

    @Test func `padding adds pixels of a colour and keeps the others, up to a size if one is given`() throws {
        let image = try Self.places(4, 3)
        let red = PixelColor(red: 200, green: 1, blue: 2)
        let padded = try PadTransformer.pad(by: 2, color: red).transform(image)
        expectEqual(padded.size, PixelSize(width: 8, height: 7))
        for y in 0..<7 {
            for x in 0..<8 {
                let isInside = (2..<6).contains(x) && (2..<5).contains(y)
                expectEqual(pixel(padded, x, y), (isInside ? [UInt8(x - 2), UInt8(y - 2), 7, 255] : [200, 1, 2, 255]))
            }
        }
        expect(!padded.hasAlpha)
        let clear = try PadTransformer.pad(by: 1).transform(image)
        expect(clear.hasAlpha)
        expectEqual(pixel(clear, 0, 0), [0, 0, 0, 0])
        expectImageError { try PadTransformer.pad(by: -1).transform(image) }
        expectImageError { try PadTransformer.pad(by: .max).transform(image) }
        // A longer side stays.
        func corner(_ gravity: Gravity) throws -> [UInt8] {
            let box = PixelSize(width: 6, height: 2)
            let result = try PadTransformer.pad(to: box, gravity: gravity).transform(image)
            expectEqual(result.size, PixelSize(width: 6, height: 3))
            return pixel(result, 0, 0)
        }
        try expectEqual(corner(.left), [0, 0, 7, 255])
        try expectEqual(corner(.center), [0, 0, 0, 0])
        try expect(PadTransformer.pad(to: PixelSize(width: 1, height: -4)).transform(image).isSame(as: image))
    }

    @Test func `edges of one colour are cut off, the same from every frame`() throws {
        func frame(_ dot: (Int, Int)) -> DecodedImage.Frame {
            let (dark, light): ([UInt8], [UInt8]) = ([9, 9, 9, 255], [200, 200, 200, 255])
            let place = dot.1 * 10 + dot.0
            let pixels = (0..<10 * 8).flatMap { (index: Int) in index == place ? dark : light }
            return .init(pixels: pixels, duration: .milliseconds(20))
        }
        let image = try DecodedImage(width: 10, height: 8, frames: [frame((3, 2)), frame((6, 4))], hasAlpha: false)
        let trimmed = try TrimTransformer().transform(image)
        expectEqual(trimmed.size, PixelSize(width: 4, height: 3))
        expectEqual(pixel(trimmed, 0, 0), [9, 9, 9, 255])
        try expectEqual(TrimTransformer(tolerance: 190).transform(image).width, 4)
        try expect(TrimTransformer(tolerance: 191).transform(image).isSame(as: image))
        try expect(TrimTransformer(tolerance: .max).transform(image).isSame(as: image))
    }

    @Test func `mirrors and quarter turns move pixels and change none`() throws {
        let image = try Self.places(5, 3)
        let across = try FlipTransformer.flip(.horizontal).transform(image)
        let down = try FlipTransformer.flip(.vertical).transform(image)
        for y in 0..<3 {
            for x in 0..<5 {
                expectEqual(pixel(across, x, y), pixel(image, 4 - x, y))
                expectEqual(pixel(down, x, y), pixel(image, x, 2 - y))
            }
        }
        let right = try RotateTransformer(degrees: 90).transform(image)
        expectEqual(right.size, PixelSize(width: 3, height: 5))
        expectEqual(pixel(right, 2, 0), pixel(image, 0, 0))
        expectEqual(pixel(right, 2, 4), pixel(image, 4, 0))
        try expect(RotateTransformer(degrees: -90).transform(right).isSame(as: image))
        try expectEqual(RotateTransformer(degrees: 540).transform(image).pixels, image.pixels.reversedPixels)
        for degrees in [0, 360, -720, -0.0] {
            try expect(RotateTransformer(degrees: degrees).transform(image).isSame(as: image), "\(degrees)")
            expectEqual(RotateTransformer(degrees: degrees).key, RotateTransformer(degrees: 0).key)
        }
    }

    @Test func `another angle turns clockwise on a canvas that holds all of it, and one that is no number is refused`()
        throws
    {
        let image = ImageFactory.picture(width: 60, height: 40, seed: 5)
        let turned = try RotateTransformer(degrees: 30).transform(image)
        // 60 cos 30 + 40 sin 30, and the other way round.
        expectEqual(turned.size, PixelSize(width: 72, height: 65))
        expect(turned.hasAlpha)
        expectEqual(pixel(turned, 0, 0), [0, 0, 0, 0])
        // The right end of the middle row goes down.
        let (angle, reach) = (30 * Double.pi / 180, 20.0)
        let (x, y) = (Int(36 + reach * cos(angle)), Int(32.5 + reach * sin(angle)))
        let expected = pixel(image, 50, 20)
        expect(PixelComparison(pixel(turned, x, y), expected).maxDifference, <, 60)
        let back = try RotateTransformer(degrees: -30, keepsSize: true).transform(
            RotateTransformer(degrees: 30, keepsSize: true).transform(image))
        expectEqual(back.size, image.size)
        let middle = CropTransformer(PixelRect(x: 20, y: 10, width: 20, height: 20))
        try expect(PixelComparison(middle.transform(back).pixels, middle.transform(image).pixels).psnr, >, 20)
        // One colour stays that colour.
        let pixels = (0..<20 * 20).flatMap { _ in [100, 50, 25, 128] as [UInt8] }
        let plain = try DecodedImage(width: 20, height: 20, frames: [.init(pixels: pixels)], hasAlpha: true)
        let background = PixelColor(red: 199, green: 100, blue: 50, alpha: 128)
        let same = try RotateTransformer(degrees: 33, background: background).transform(plain)
        expect(same.pixels.chunks.allSatisfy { PixelComparison($0, [100, 50, 25, 128]).maxDifference <= 1 })
        for degrees in [Double.nan, .infinity, -.infinity] {
            let transformer = RotateTransformer(degrees: degrees)
            expectEqual(transformer.resultSize(for: PixelSize(width: 5, height: 5)).width, 5, "\(degrees)")
            expectImageError(.invalidRequest, "\(degrees)") { try transformer.transform(plain) }
        }
    }
}

extension [UInt8] {
    /// The pixels, one after the other.
    var chunks: [[UInt8]] { stride(from: 0, to: count, by: 4).map { Array(self[$0..<$0 + 4]) } }

    fileprivate var reversedPixels: [UInt8] { chunks.reversed().flatMap { $0 } }
}
