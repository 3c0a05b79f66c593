// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite struct SmartCropTests {
    /// A plain picture with a checkered square of 40 pixels.
    private func picture(_ width: Int, _ height: Int, squareAt x: Int, _ y: Int) throws -> DecodedImage {
        var canvas = try PremultipliedCanvas(
            PixelSize(width: width, height: height), color: PixelColor(red: 90, green: 90, blue: 90))
        for tile in 0..<25 {
            let shade = UInt8(tile * 37 % 250)
            canvas.fill(
                PixelRect(x: x + tile % 5 * 8, y: y + tile / 5 * 8, width: 8, height: 8),
                with: PixelColor(red: shade, green: 255 - shade, blue: shade / 2))
        }
        return canvas.image
    }

    @Test(arguments: SmartCropTransformer.Interest.allCases)
    func `the part with the things in it is kept, and a picture without differences is cut on both sides alike`(
        interest: SmartCropTransformer.Interest
    ) throws {
        for (x, y) in [(0, 30), (130, 30), (260, 30)] {
            let wide = try picture(300, 100, squareAt: x, y)
            let gravity = try SmartCropTransformer(size: PixelSize(width: 50, height: 50), interest: interest)
                .gravity(in: wide)
            // The window of 100 pixels contains the square of 40.
            let left = gravity.x * 200
            expect(left <= Double(x) + 4 && left + 100 >= Double(x) + 36, "square at \(x), window at \(left)")
            let tall = try picture(100, 300, squareAt: y, x)
            let top =
                try SmartCropTransformer(size: PixelSize(width: 50, height: 50), interest: interest)
                .gravity(in: tall).y * 200
            expect(top <= Double(x) + 4 && top + 100 >= Double(x) + 36, "square at \(x), window at \(top)")
        }
        let plain = try PremultipliedCanvas(PixelSize(width: 300, height: 100), color: .white).image
        let crop = SmartCropTransformer(size: PixelSize(width: 50, height: 50), interest: interest)
        try expect(abs(crop.gravity(in: plain).x - 0.5), <, 0.02)
        try expectEqual(crop.transform(plain).size, PixelSize(width: 50, height: 50))
    }

    @Test func `a face draws more attention than a flat bright area`() throws {
        var canvas = try PremultipliedCanvas(PixelSize(width: 300, height: 100), color: .black)
        canvas.fill(PixelRect(x: 0, y: 0, width: 60, height: 100), with: .white)
        canvas.fill(PixelRect(x: 220, y: 20, width: 40, height: 60), with: PixelColor(red: 224, green: 172, blue: 135))
        let gravity = try SmartCropTransformer(size: PixelSize(width: 50, height: 50)).gravity(in: canvas.image)
        expect(gravity.x, >, 0.6)
    }

    @Test func `a decoder draws the picture as small as the box allows, and the crop is the same`() throws {
        let crop = SmartCropTransformer(size: PixelSize(width: 64, height: 64))
        let (thumbnail, rest) = ResizeTransformer.leading([crop, .grayscale])
        expectEqual(thumbnail, ResizeTransformer(size: crop.size, mode: .cover))
        expectEqual(rest.map(\.key), [crop.key, "grayscale(1.0)"])
        let file = try ImageFactory.encoded(width: 900, height: 300, seed: 5)
        let small = try ImageCoders.default.decode(file, options: DecodeOptions(thumbnail: thumbnail))
        expectEqual(small.size, PixelSize(width: 192, height: 64))
        let whole = try crop.transform(ImageCoders.default.decode(file))
        let made = try crop.transform(small)
        expectEqual(made.size, whole.size)
        expect(PixelComparison(made.pixels, whole.pixels).psnr, >, 30)
    }

    @Test func `boxes and pictures of any size end`() throws {
        let picture = try picture(300, 100, squareAt: 0, 0)
        for side in [0, -1, Int.min] {
            let crop = SmartCropTransformer(size: PixelSize(width: side, height: 10))
            expectImageError { try crop.transform(picture) }
            expectEqual(crop.resultSize(for: picture.size).width, 0)
        }
        let huge = SmartCropTransformer(size: PixelSize(width: .max, height: .max))
        try expectEqual(huge.transform(picture).size, PixelSize(width: 100, height: 100))
        let line = try PremultipliedCanvas(PixelSize(width: 4_000, height: 1), color: .white).image
        try expectEqual(
            SmartCropTransformer(size: PixelSize(width: 1, height: 1)).transform(line).size,
            PixelSize(width: 1, height: 1))
    }
}
