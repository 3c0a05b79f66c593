// SPDX-License-Identifier: MIT
import Foundation
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// The integer taps against the exact filter, and rows that come one by one against a whole bitmap.
@Suite("Resampler")
struct ResamplerTests {
    private static func bytes(_ size: PixelSize, seed: Int, opaque: Bool) -> [UInt8] {
        var pixels = ImageFactory.randomBytes(count: size.width * size.height * 4, seed: seed)
        for at in stride(from: 0, to: pixels.count, by: 4) {
            if opaque { pixels[at + 3] = 255 }
            for channel in at..<at + 3 { pixels[channel] = Bitmap.multiply(pixels[channel], pixels[at + 3]) }
        }
        return pixels
    }

    /// The light of premultiplied pixels, premultiplied; and the other way.
    private static func light(_ pixels: [UInt8]) -> [Double] {
        pixels.indices.map { index in
            let alpha = Int(pixels[index / 4 * 4 + 3])
            if index % 4 == 3 { return Double(alpha) / 255 }
            if alpha == 0 { return 0 }
            let value = Double(min((Int(pixels[index]) * 255 + alpha / 2) / alpha, 255)) / 255
            return (value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)) * Double(alpha) / 255
        }
    }

    private static func values(_ pixel: [Double]) -> [UInt8] {
        let alpha = min(max(pixel[3], 0), 1)
        let solid = (alpha * 255).rounded()
        if solid == 0 { return [0, 0, 0, 0] }
        return pixel[..<3].map { light in
            let share = min(max(light / alpha, 0), 1)
            let value = share <= 0.0031308 ? share * 12.92 : 1.055 * pow(share, 1 / 2.4) - 0.055
            return UInt8((value * solid).rounded())
        } + [UInt8(solid)]
    }

    /// Lanczos with three lobes in floating point, straight from the definition.
    static func exact(
        _ bytes: [UInt8], _ source: PixelSize, _ window: ResamplingWindow, _ target: PixelSize,
        inLinearLight: Bool = false
    ) -> [UInt8] {
        let pixels = inLinearLight ? light(bytes) : bytes.map { Double($0) }
        func weights(_ index: Int, _ source: Int, _ start: Double, _ length: Double, _ target: Int) -> [Double] {
            let scale = length / Double(target)
            let widening = max(scale, 1)
            let center = start + (Double(index) + 0.5) * scale
            let values = (0..<source).map { sample -> Double in
                let x = abs(Double(sample) + 0.5 - center) / widening * Double.pi
                return x >= 3 * Double.pi ? 0 : x < 1e-9 ? 1 : 3 * sin(x) * sin(x / 3) / (x * x)
            }
            let sum = values.reduce(0, +)
            return values.map { $0 / sum }
        }
        let across = (0..<target.width).map { weights($0, source.width, window.x, window.width, target.width) }
        var result = [UInt8]()
        for y in 0..<target.height {
            let down = weights(y, source.height, window.y, window.height, target.height)
            var line = [Double](repeating: 0, count: source.width * 4)
            for row in 0..<source.height where down[row] != 0 {
                for at in line.indices { line[at] += pixels[row * source.width * 4 + at] * down[row] }
            }
            for taps in across {
                var pixel = [0.0, 0, 0, 0]
                for (x, weight) in taps.enumerated() where weight != 0 {
                    for channel in 0..<4 { pixel[channel] += line[x * 4 + channel] * weight }
                }
                if inLinearLight {
                    result += values(pixel)
                    continue
                }
                let alpha = min(max(pixel[3].rounded(), 0), 255)
                result += pixel.map { UInt8(min(max($0.rounded(), 0), alpha)) }
            }
        }
        return result
    }

    @Test(arguments: [
        (64, 48, 20, 15), (65, 33, 13, 33), (9, 7, 40, 31), (1, 1, 5, 3), (3, 200, 2, 7), (530, 3, 7, 3),
        (31, 31, 31, 30),
    ])
    func `every sample is within one of the exact filter, at edges too`(sides: (Int, Int, Int, Int)) throws {
        let source = PixelSize(width: sides.0, height: sides.1)
        let target = PixelSize(width: sides.2, height: sides.3)
        for opaque in [true, false] {
            let pixels = Self.bytes(source, seed: 3, opaque: opaque)
            var windows = [ResamplingWindow.whole(source)]
            if source.width > 20, source.height > 20 {
                windows.append(ResamplingWindow(x: 11.5, y: 3.25, width: 17.25, height: 15))
            }
            for (window, inLinearLight) in windows.flatMap({ [($0, false), ($0, true)] }) {
                let resampled = try Resampler(
                    source: source, window: window, target: target, inLinearLight: inLinearLight
                ).resample(pixels)
                let exact = Self.exact(pixels, source, window, target, inLinearLight: inLinearLight)
                let comparison = PixelComparison(resampled, exact)
                expect(comparison.maxDifference, <=, 1)
                expect(comparison.psnr, >=, 60)
            }
        }
    }

    @Test func `black and white side by side have half of the light`() throws {
        let size = PixelSize(width: 64, height: 64)
        let pixels = (0..<64 * 64).flatMap { index -> [UInt8] in
            let isWhite = (index % 64 + index / 64).isMultiple(of: 2)
            return isWhite ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        let image = try DecodedImage(width: 64, height: 64, frames: [.init(pixels: pixels)], hasAlpha: false)
        for (inLinearLight, grey) in [(true, 188), (false, 128)] {
            let resize = ResizeTransformer(size: PixelSize(width: 8, height: 8), inLinearLight: inLinearLight)
            let middle = try resize.transform(image).pixels[(4 * 8 + 4) * 4]
            expect(abs(Int(middle) - grey), <=, 1)
            // A decoder does the same.
            for format in [EncodedFormat.png, .jpeg(quality: 100), .losslessWebP, .gif(isDithered: false)] {
                let options = DecodeOptions(thumbnail: resize)
                let file = try ImageCoders.default.encode(image, as: format)
                let drawn = try ImageCoders.default.decode(file, options: options)
                expect(abs(Int(drawn.pixels[(4 * 8 + 4) * 4]) - grey), <=, 1)
            }
        }
        expectEqual(ResizeTransformer(size: size, inLinearLight: true).key, "resize(64x64,fit,linear)")
        let (leading, _) = ResizeTransformer.leading([.resize(to: size, inLinearLight: true)])
        expectEqual(leading?.inLinearLight, true)
        let budget = DecodeOptions(thumbnail: .resize(to: size, inLinearLight: true), byteBudget: 400)
        let small = try ImageCoders.default.decode(ImageCoders.default.encode(image, as: .png), options: budget)
        expect(small.pixels.enumerated().allSatisfy { $0 % 4 == 3 || abs(Int($1) - 188) <= 40 })
    }

    @Test(arguments: [(80, 60, 16, 12), (33, 300, 30, 9), (7, 5, 7, 2), (1, 90, 1, 1)], [false, true])
    func `rows that come a few at a time give the same pixels`(
        sides: (Int, Int, Int, Int), inLinearLight: Bool
    ) throws {
        let source = PixelSize(width: sides.0, height: sides.1)
        let target = PixelSize(width: sides.2, height: sides.3)
        let pixels = Self.bytes(source, seed: 5, opaque: false)
        let options = DecodeOptions(thumbnail: .resize(to: target, mode: .stretch, inLinearLight: inLinearLight))
        let plan = FramePlan(source, options)
        let work = DecodingWork(limits: .default, byteCount: 0)
        for step in [1, 3, DecodedRows.atOnce] {
            let image = try unsafe plan.draw(work) { buffer, rows in
                let rows = try required(rows)
                var row = 0
                while row < source.height {
                    let end = min(row + step, source.height)
                    for y in row..<end {
                        let stride = source.width * 4
                        for x in 0..<stride {
                            unsafe buffer[y % rows.capacity * stride + x] = pixels[y * stride + x]
                        }
                    }
                    rows.receive(upTo: end)
                    row = end
                }
                return []
            }
            let whole = Resampler(source: source, window: .whole(source), target: target, inLinearLight: inLinearLight)
            try expectEqual(image.pixels, whole.resample(pixels))
        }
    }

    @Test func `rows that a decoder leaves out get the colour for missing pixels`() throws {
        let source = PixelSize(width: 20, height: 40)
        let plan = FramePlan(source, DecodeOptions(thumbnail: .resize(to: PixelSize(width: 5, height: 10))))
        let work = DecodingWork(limits: .default, byteCount: 0)
        let grey = PixelColor(red: 128, green: 128, blue: 128)
        let image = try unsafe plan.draw(work, missing: grey) { _, _ in [] }
        expectEqual(image.pixels, (0..<50).flatMap { _ in grey.premultiplied })
        expect(!image.hasAlpha)
    }

    @Test func `a thumbnail of twelve megapixels is planned in little memory`() throws {
        let stored = PixelSize(width: 4_000, height: 3_000)
        for side in [256, 512, 1_000] {
            for mode in [ResizeTransformer.Mode.fit, .fill, .stretch] {
                for denominators in [[], [8, 4, 2]] {
                    let box = ResizeTransformer(size: PixelSize(width: side, height: side), mode: mode)
                    let plan = FramePlan(
                        stored, orientation: .right, DecodeOptions(thumbnail: box), denominators: denominators)
                    expect(plan.drawingByteCount(inOrder: true) + plan.finishingByteCount, <, 16 << 20)
                }
            }
        }
    }

    @Test func `the arithmetic on pixels is that of its definition, at every length`() throws {
        for count in [1, 2, 3, 4, 5, 7, 8, 33] {
            let straight = ImageFactory.randomBytes(count: count * 4, seed: count)
            var drawn = straight
            let hasAlpha = unsafe drawn.withUnsafeMutableBufferPointer { unsafe Bitmap.premultiply($0) }
            var expected = straight
            for at in straight.indices where at % 4 < 3 {
                expected[at] = Bitmap.multiply(straight[at], straight[at / 4 * 4 + 3])
            }
            expectEqual(drawn, expected)
            expect(hasAlpha != Bitmap.isOpaque(straight))
            let back = try Bitmap.unpremultiplied(drawn)
            for at in drawn.indices {
                let alpha = Int(drawn[at / 4 * 4 + 3])
                let value = at % 4 == 3 ? alpha : alpha == 0 ? 0 : min(255, (Int(drawn[at]) * 255 + alpha / 2) / alpha)
                expectEqual(Int(back[at]), value)
            }
        }
        var opaque = [UInt8](repeating: 255, count: 36)
        expect(Bitmap.isOpaque(opaque))
        expect(unsafe !opaque.withUnsafeMutableBufferPointer { unsafe Bitmap.premultiply($0) })
        for pixel in 0..<9 {
            opaque[pixel * 4 + 3] = 254
            expect(!Bitmap.isOpaque(opaque))
            opaque[pixel * 4 + 3] = 255
        }
    }
}
