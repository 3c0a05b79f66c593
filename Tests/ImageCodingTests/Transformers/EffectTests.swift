// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Shapes, colours, blur and a second picture, against their formulas.
@Suite("Effects")
struct EffectTests {
    private static func plain(_ width: Int, _ height: Int, _ pixel: [UInt8] = [10, 120, 240, 255]) throws
        -> DecodedImage
    {
        try DecodedImage(
            width: width, height: height,
            frames: [.init(pixels: (0..<width * height).flatMap { _ in pixel })], hasAlpha: pixel[3] < 255)
    }

    private func pixel(_ image: DecodedImage, _ x: Int, _ y: Int) -> [UInt8] {
        Array(image.pixels[(y * image.width + x) * 4..<(y * image.width + x) * 4 + 4])
    }

    @Test func `a round corner covers each pixel by its distance, and only the chosen corners are rounded`() throws {
        let image = try RoundCornersTransformer(radius: 10).transform(Self.plain(40, 30))
        expect(image.hasAlpha)
        for y in 0..<30 {
            for x in 0..<40 {
                let (dx, dy) = (
                    max(10 - (Double(x) + 0.5), Double(x) + 0.5 - 30, 0),
                    max(10 - (Double(y) + 0.5), Double(y) + 0.5 - 20, 0)
                )
                let cover = min(max(10.5 - (dx * dx + dy * dy).squareRoot(), 0), 1)
                expect(abs(Double(pixel(image, x, y)[3]) - cover * 255), <=, 0.51, "\(x) \(y)")
            }
        }
        expectEqual(pixel(image, 20, 15), [10, 120, 240, 255])
        let two = try RoundCornersTransformer(radius: 8, corners: [.topRight, .bottomLeft]).transform(
            Self.plain(20, 20))
        expectEqual([(0, 0), (19, 0), (0, 19), (19, 19)].map { pixel(two, $0.0, $0.1)[3] }, [255, 0, 0, 255])
    }

    @Test func `a border lies inside the edge, over the picture`() throws {
        let red = PixelColor(red: 255, green: 0, blue: 0)
        let image = try RoundCornersTransformer(radius: 0, borderWidth: 2, borderColor: red).transform(
            Self.plain(30, 20))
        for y in 0..<20 {
            for x in 0..<30 {
                let isBorder = x < 2 || y < 2 || x >= 28 || y >= 18
                expectEqual(pixel(image, x, y), (isBorder ? [255, 0, 0, 255] : [10, 120, 240, 255]))
            }
        }
        expect(!image.hasAlpha)
        // Half a border lets the picture through.
        let half = RoundCornersTransformer(
            radius: 0, borderWidth: 2, borderColor: PixelColor(red: 255, green: 0, blue: 0, alpha: 128))
        try expectEqual(pixel(half.transform(Self.plain(30, 20)), 1, 1), [133, 60, 120, 255])
        for (radius, border) in [(-1, 0), (0, -1), (.nan, 0), (0, .nan)] as [(Double, Double)] {
            expectImageError {
                try RoundCornersTransformer(radius: radius, borderWidth: border).transform(Self.plain(3, 3))
            }
        }
        try expectEqual(
            RoundCornersTransformer(radius: .infinity, borderWidth: .infinity).transform(Self.plain(9, 3)).width, 9)
    }

    @Test func `corners and borders of any size lie at the distance from their own edge`() async {
        await Property(cases: 300) { draw in
            (
                picture: PlainPicture(&draw, most: 9), radius: draw.oneOf([0, 1, 2.5, 4, 100]),
                corners: ImageCorners(rawValue: draw.number(0...15)), border: draw.oneOf([0, 1, 2.5, 9]),
                color: PixelColor(red: 250, green: 100, blue: 0, alpha: draw.oneOf([255, 128]))
            )
        }.holds { picture, radius, corners, border, color in
            let round = RoundCornersTransformer(
                radius: radius, corners: corners, borderWidth: border, borderColor: color)
            let result = try round.transform(picture.image)
            let isCut = radius > 0 && corners.rawValue != 0
            if result.hasAlpha != (picture.image.hasAlpha || isCut) { return "alpha: \(result.hasAlpha)" }
            let most = min(radius, Double(min(picture.width, picture.height)) / 2)
            for (number, frame) in PlainPicture(result).frames.enumerated() {
                for (x, y) in picture.places {
                    // From the nearest sides, and the corner between them.
                    let (isLeft, isTop) = (2 * x < picture.width, 2 * y < picture.height)
                    let across = Double(isLeft ? x : picture.width - 1 - x) + 0.5
                    let down = Double(isTop ? y : picture.height - 1 - y) + 0.5
                    let corner = ImageCorners(rawValue: 1 << ((isTop ? 0 : 2) + (isLeft ? 0 : 1)))
                    var depth = min(across, down)
                    if corners.contains(corner), across < most, down < most {
                        let (a, b) = (most - across, most - down)
                        depth = most - (a * a + b * b).squareRoot()
                    }
                    let covered = min(max(depth + 0.5, 0), 1)
                    let edge = border > 0 ? 1 - min(max(depth + 0.5 - border, 0), 1) : 0
                    let place = y * picture.width + x
                    for channel in 0..<4 {
                        let shown = Double(picture.frames[number][place][channel])
                        let line = Double(color.premultiplied[channel])
                        let expected = (line * edge + shown * (1 - edge * Double(color.alpha) / 255)) * covered
                        if abs(Double(frame[place][channel]) - expected) > 0.51 {
                            return "\(frame[place]) in place of \(expected) at \(x), \(y)"
                        }
                    }
                }
            }
            return nil
        }
    }

    @Test func `a circle is cut out of the middle`() throws {
        let image = try CircleTransformer().transform(Self.plain(50, 20))
        expectEqual(image.size, PixelSize(width: 20, height: 20))
        let covered = image.pixels.chunks.reduce(0.0) { $0 + Double($1[3]) / 255 }
        expect(abs(covered - .pi * 100), <, 1)
    }

    @Test func `a tint takes the place of colours, or is multiplied with them`() throws {
        let image = try Self.plain(3, 3, [40, 20, 10, 128])
        let color = PixelColor(red: 255, green: 128, blue: 0)
        try expectEqual(pixel(TintTransformer.tint(color).transform(image), 1, 1), [128, 64, 0, 128])
        try expectEqual(pixel(TintTransformer.tint(color, mode: .multiply).transform(image), 1, 1), [40, 10, 0, 128])
        let half = PixelColor(red: 0, green: 0, blue: 0, alpha: 128)
        try expectEqual(pixel(TintTransformer.tint(half, mode: .multiply).transform(image), 1, 1), [20, 10, 5, 128])
        try expect(TintTransformer.tint(half).transform(Self.plain(2, 2)).hasAlpha)
    }

    @Test func `colours change by their formulas, whatever the amount is`() throws {
        let image = try Self.plain(2, 2, [100, 50, 200, 255])
        func changed(_ transformer: ColorTransformer) throws -> [UInt8] {
            try pixel(transformer.transform(image), 0, 0)
        }
        // 0.213 * 100 + 0.715 * 50 + 0.072 * 200.
        let grey: UInt8 = 71
        try expectEqual(changed(.grayscale), [grey, grey, grey, 255])
        try expectEqual(changed(.brightness(1.5)), [150, 75, 255, 255])
        try expectEqual(changed(.brightness(0)), [0, 0, 0, 255])
        try expectEqual(changed(.contrast(0)), [128, 128, 128, 255])
        // (c - 127.5) * 2 + 127.5.
        try expectEqual(changed(.contrast(2)), [73, 0, 255, 255])
        try expectEqual(changed(.saturation(1)), [100, 50, 200, 255])
        try expect(PixelComparison(changed(.saturation(2)), [129, 29, 255, 255]).maxDifference, <=, 1)
        for amount in [-Double.infinity, -1, .nan] { try expectEqual(changed(.brightness(amount)), [0, 0, 0, 255]) }
        try expectEqual(changed(.brightness(.infinity))[3], 255)
        // An endless amount is a colour all the same.
        let half = try Self.plain(2, 2, [100, 50, 0, 128])
        for transformer in [ColorTransformer.brightness(.infinity), .contrast(.infinity), .saturation(1e300)] {
            let endless = try pixel(transformer.transform(half), 0, 0)
            expectEqual(endless[3], 128, "\(transformer.key)")
            expect(endless.allSatisfy { $0 <= 128 }, "\(transformer.key)")
        }
    }

    @Test
    func `colours of transparent pixels do not rise above their alpha, which stays in changes of colour`() throws {
        let image = ImageFactory.picture(width: 40, height: 40, seed: 9, hasAlpha: true)
        let transformers: [any ImageTransforming] = [
            .brightness(3), .contrast(4), .saturation(5), .sharpen(amount: 5), .blur(sigma: 3),
            .tint(.white, mode: .multiply), .rotate(degrees: 12), .round(radius: 9, borderWidth: 3),
            .overlay(image, named: "itself", blend: .screen),
        ]
        for transformer in transformers {
            let pixels = try transformer.transform(image).pixels.chunks
            expect(pixels.allSatisfy { max($0[0], $0[1], $0[2]) <= $0[3] }, "\(transformer.key)")
        }
        for transformer in transformers[..<4] {
            let alpha = try transformer.transform(image).pixels.chunks.map(\.[3])
            expectEqual(alpha, image.pixels.chunks.map(\.[3]), "\(transformer.key)")
        }
    }

    @Test func `a blur spreads a dot by the Gaussian, and keeps one colour up to the edges`() throws {
        var pixels = [UInt8](repeating: 0, count: 41 * 41 * 4)
        for offset in stride(from: 3, to: pixels.count, by: 4) { pixels[offset] = 255 }
        let middle = (20 * 41 + 20) * 4
        pixels[middle] = 255
        let dot = try DecodedImage(width: 41, height: 41, frames: [.init(pixels: pixels)], hasAlpha: false)
        let blurred = try BlurTransformer(sigma: 1).transform(dot)
        let weights = (-3...3).map { exp(-Double($0 * $0) / 2) }
        let sum = weights.reduce(0, +)
        for y in -3...3 {
            for x in -3...3 {
                let expected = 255 * weights[y + 3] * weights[x + 3] / sum / sum
                expect(abs(Double(pixel(blurred, 20 + x, 20 + y)[0]) - expected), <=, 1)
            }
        }
        for sigma in [0.3, 2, 30, 100] {
            let plain = try Self.plain(33, 9, [10, 20, 30, 40])
            try expect(BlurTransformer(sigma: sigma).transform(plain).isSame(as: plain))
        }
        try expect(BlurTransformer(sigma: 0).transform(dot).isSame(as: dot))
        for sigma in [-1, 101, .nan, .infinity] {
            expectImageError { try BlurTransformer(sigma: sigma).transform(dot) }
            expect(BlurTransformer(sigma: sigma).workingByteCount(for: PixelSize(width: .max, height: .max)), >=, 0)
        }
    }

    @Test func `sharpening moves a pixel away from its blur`() throws {
        let image = ImageFactory.picture(width: 30, height: 30, seed: 4)
        let blurred = try BlurTransformer(sigma: 2).transform(image)
        let sharp = try SharpenTransformer(sigma: 2, amount: 0.5).transform(image)
        for (index, pair) in zip(image.pixels, blurred.pixels).enumerated() where index % 4 < 3 {
            let expected = min(max(Double(pair.0) + 0.5 * (Double(pair.0) - Double(pair.1)), 0), 255)
            expect(abs(Double(sharp.pixels[index]) - expected), <=, 1)
        }
        expectImageError { try SharpenTransformer(amount: 11).transform(image) }
        // Beyond a megabyte as well.
        let large = ImageFactory.picture(width: 512, height: 520, seed: 4)
        let own = Array(large.pixels.suffix(2_048))
        let soft = Array(try BlurTransformer(sigma: 2).transform(large).pixels.suffix(2_048))
        let hard = Array(try SharpenTransformer(sigma: 2, amount: 0.5).transform(large).pixels.suffix(2_048))
        for index in own.indices where index % 4 < 3 {
            let moved = Double(own[index]) + 0.5 * (Double(own[index]) - Double(soft[index]))
            expect(abs(min(max(moved, 0), 255) - Double(hard[index])), <=, 1)
        }
    }

    @Test func `a second picture is drawn over the first where it lies`() throws {
        let image = try Self.plain(20, 10)
        let mark = try Self.plain(4, 3, [128, 0, 0, 128])
        let result = try OverlayTransformer(mark, named: "mark", margin: 2).transform(image)
        for y in 0..<10 {
            for x in 0..<20 {
                let isMarked = (14..<18).contains(x) && (5..<8).contains(y)
                #expect(
                    PixelComparison(pixel(result, x, y), isMarked ? [133, 60, 120, 255] : [10, 120, 240, 255])
                        .maxDifference <= 1)
            }
        }
        func mixed(_ blend: BlendMode) throws -> [UInt8] {
            let grey = try Self.plain(20, 10, [128, 128, 128, 255])
            return try pixel(OverlayTransformer(grey, named: "grey", blend: blend).transform(image), 3, 3)
        }
        try expect(PixelComparison(mixed(.multiply), [5, 60, 120, 255]).maxDifference, <=, 1)
        try expect(PixelComparison(mixed(.screen), [133, 188, 248, 255]).maxDifference, <=, 1)
        try expect(OverlayTransformer(mark, named: "mark", opacity: 0).transform(image).isSame(as: image))
        let large = try Self.plain(50, 50, [1, 2, 3, 255])
        try expectEqual(
            pixel(OverlayTransformer(large, named: "l", gravity: .center).transform(image), 0, 9), [1, 2, 3, 255])
        for margin in [Int.min, -100, 100, .max] {
            for gravity in [Gravity.topLeft, .center, .bottomRight] {
                let over = OverlayTransformer(mark, named: "mark", gravity: gravity, margin: margin)
                try expectEqual(over.transform(image).size, image.size)
            }
        }
    }

    @Test func `a closure is a transformer with its own key`() throws {
        let image = try Self.plain(2, 2)
        let transformer: any ImageTransforming = .custom(key: "first)") { $0.firstFrame }
        expectEqual(transformer.key, "custom(first\\))")
        try expect(transformer.transform(image).isSame(as: image))
        expectEqual(transformer.resultSize(for: image.size), image.size)
        let half = CustomTransformer(key: "half", resultSize: { PixelSize(width: $0.width / 2, height: $0.height) }) {
            $0
        }
        expectEqual(half.resultSize(for: image.size).width, 1)
    }
}
