// SPDX-License-Identifier: MIT
import CImageShims
import Foundation
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

private let looks = Atomic<Int>(0)
private let lastLook = Atomic<Int>(.max)

@Suite struct PNGEncodingTests {
    private let coders = ImageCoders.default

    @Test func `an encoder can be stopped at every row`() {
        let pixels = [UInt8](repeating: 7, count: 9 * 300 * 4)
        func status(stopAt last: Int) -> Int {
            looks.store(0, ordering: .relaxed)
            lastLook.store(last, ordering: .relaxed)
            var request = unsafe swi_png_encode_request(
                width: 9, height: 300, level: 1, has_alpha: 1, palette: nil, palette_count: 0, transparent: -1
            ) {
                looks.wrappingAdd(1, ordering: .relaxed).newValue >= lastLook.load(ordering: .relaxed) ? 1 : 0
            }
            var (output, failure) = unsafe (swi_bytes(), swi_failure())
            defer { unsafe swi_bytes_free(&output) }
            return unsafe Int(swi_png_encode(pixels, &request, &output, &failure))
        }
        expectEqual(status(stopAt: .max), Int(SWI_OK))
        expectEqual(looks.load(ordering: .relaxed), 300)
        for last in 1...300 { expectEqual(status(stopAt: last), Int(SWI_STOPPED), "\(last)") }
    }

    private func options(_ change: (inout EncodeOptions) -> Void) -> EncodedFormat {
        var options = EncodeOptions()
        change(&options)
        return EncodedFormat(.png, options: options)
    }

    /// A picture of a number of colours, some rows of it transparent.
    private func stripes(_ colors: Int, isTransparent: Bool) throws -> DecodedImage {
        var canvas = try PremultipliedCanvas(PixelSize(width: 37, height: colors + 1))
        for row in 0..<colors {
            let color = PixelColor(red: UInt8(row * 7 % 256), green: UInt8(row), blue: UInt8(255 - row))
            canvas.fill(PixelRect(x: 0, y: row, width: 37, height: isTransparent ? 1 : 2), with: color)
        }
        return canvas.image
    }

    @Test(arguments: [1, 2, 3, 4, 5, 15, 16, 17, 255], [false, true])
    func `a picture of few colours keeps them all in a palette`(colors: Int, isTransparent: Bool) throws {
        let image = try stripes(colors, isTransparent: isTransparent)
        let bytes = try coders.encode(image, as: options { $0.maximumColors = 256 })
        try expectEqual(coders.decode(bytes).pixels, image.pixels)
        // The colour type is that of a palette, in the fewest bits that hold the colours.
        let count = colors + (isTransparent ? 1 : 0)
        expectEqual(bytes[25], 3)
        expectEqual(bytes[24], (count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8))
        // Beside the pixels: three bytes a colour, one for its transparency, and the frames of the two chunks.
        let withoutPalette = try coders.encode(image, as: .png).count
        expect(bytes.count, <, withoutPalette + 60 + count * 6)
    }

    @Test(arguments: [-5, 0, 2, 3, 16, 256, 1_000])
    func `a photograph gets the palette that is asked for`(count: Int) throws {
        let image = ImageFactory.picture(width: 120, height: 90, seed: 3)
        let bytes = try coders.encode(image, as: options { $0.maximumColors = count })
        let decoded = try coders.decode(bytes)
        let colors = Set((0..<120 * 90).map { Array(decoded.pixels[$0 * 4..<$0 * 4 + 3]) })
        expect(colors.count, <=, min(max(count, 2), 256))
        expect(PixelComparison(decoded.pixels, image.pixels).psnr, >, (count >= 256 ? 28 : 8))
        let plain = try coders.encode(
            image,
            as: options {
                $0.maximumColors = count
                $0.isDithered = false
            })
        expect(plain != bytes)
    }

    @Test(arguments: [false, true]) func `an animation is written with every pixel and time`(hasAlpha: Bool) throws {
        let base = ImageFactory.animation(width: 40, height: 30, frames: 5, seed: 3)
        let image = hasAlpha ? try RoundCornersTransformer(radius: 12).transform(base) : base
        let bytes = try coders.encode(image, as: .apng)
        let decoded = try coders.decode(bytes)
        expectEqual(decoded.frameCount, 5)
        expectEqual(decoded.durations, image.durations)
        expectEqual(decoded.loopCount, image.loopCount)
        for index in 0..<5 { try expectEqual(decoded.frame(at: index).pixels, image.frame(at: index).pixels) }
        let still = try coders.encode(image, as: .png)
        try expectEqual(coders.decode(still).frameCount, 1)
        try expectEqual(coders.encode(image, as: options { ($0.writesAPNG, $0.firstFrameOnly) = (true, true) }), still)
        try expectEqual(coders.encode(image.firstFrame, as: .apng), still)
        expect(coders.encodingByteCount(of: image, as: .apng), >, bytes.count * 2)
    }

    @Test func `frames that do not change are one pixel, and long times fit`() throws {
        let image = ImageFactory.picture(width: 200, height: 200, seed: 1)
        let times: [Duration] = [.seconds(65), .seconds(600), .seconds(1_000_000), .milliseconds(20)]
        let animation = try DecodedImage(
            width: 200, height: 200, frames: times.map { .init(pixels: image.pixels, duration: $0) }, loopCount: 3,
            hasAlpha: false)
        let bytes = try coders.encode(animation, as: .apng)
        expect(bytes.count, <, (try coders.encode(image, as: .png)).count + 400)
        let decoded = try coders.decode(bytes)
        expectEqual(decoded.durations, [.seconds(65), .seconds(600), .milliseconds(6_553_500), .milliseconds(20)])
        expectEqual(decoded.loopCount, 3)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")))
    func `another reader sees the same frames`() throws {
        let image = ImageFactory.animation(width: 40, height: 30, frames: 4, seed: 3)
        let file = FileManager.default.temporaryDirectory.appending(path: "apng-\(UUID().uuidString).png")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data(coders.encode(image, as: .apng)).write(to: file)
        let script = """
            import sys
            try:
                from PIL import Image, ImageSequence
            except ImportError:
                sys.exit(9)
            for frame in ImageSequence.Iterator(Image.open(sys.argv[1])):
                print(frame.convert("RGBA").tobytes().hex(), int(frame.info["duration"]))
            """
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.arguments = ["-c", script, file.path]
        process.standardOutput = output
        try process.run()
        let text = try String(decoding: output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        // Without Pillow there is nothing to compare with.
        guard process.terminationStatus != 9 else { return }
        let expected = try (0..<4).map { index in
            let frame = try image.frame(at: index)
            let digits = frame.pixels.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            return "\(digits) \(Int(frame.duration / .milliseconds(1)))"
        }
        expectEqual(text.split(separator: "\n").map(String.init), expected)
    }
}
