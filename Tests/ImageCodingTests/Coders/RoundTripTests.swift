// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite("Round trips")
struct RoundTripTests {
    private func roundTrip(_ image: DecodedImage, _ format: EncodedFormat) throws -> DecodedImage {
        let bytes = try ImageCoders.default.encode(image, as: format)
        expectEqual(ImageFormat(sniffing: bytes), format.format)
        return try ImageCoders.default.decode(bytes)
    }

    @Test(arguments: [EncodedFormat.png, .png(level: 0), .png(level: 9), .losslessWebP], [false, true])
    func `lossless formats give the picture back`(format: EncodedFormat, hasAlpha: Bool) throws {
        for size in [PixelSize(width: 1, height: 1), PixelSize(width: 37, height: 23), PixelSize(width: 64, height: 3)]
        {
            let image = ImageFactory.picture(width: size.width, height: size.height, seed: 7, hasAlpha: hasAlpha)
            let back = try roundTrip(image, format)
            expectEqual(back.size, image.size)
            expectEqual(back.pixels, image.pixels)
        }
        // An opaque picture becomes a file without alpha.
        let image = ImageFactory.picture(width: 20, height: 10, seed: 1, hasAlpha: hasAlpha)
        let bytes = try ImageCoders.default.encode(image, as: format)
        try expectEqual(ImageCoders.default.properties(of: bytes).hasAlpha, hasAlpha)
    }

    @Test(arguments: [false, true]) func `JPEG and lossy WebP come closer with quality`(isProgressive: Bool) throws {
        let image = ImageFactory.picture(width: 90, height: 70, seed: 11)
        func psnr(_ format: EncodedFormat) throws -> Double {
            PixelComparison(try roundTrip(image, format).frames[0].pixels, image.frames[0].pixels).psnr
        }
        try expect(psnr(.jpeg(quality: 10, isProgressive: isProgressive)), >, 15)
        #expect(
            try psnr(.jpeg(quality: 95, isProgressive: isProgressive))
                > psnr(.jpeg(quality: 10, isProgressive: isProgressive)) + 4)
        try expect(psnr(.webp(quality: 95)), >, psnr(.webp(quality: 10)) + 4)
    }

    @Test func `progressive JPEG shows the same picture as baseline, and JPEG lays alpha over the background`() throws {
        let image = ImageFactory.picture(width: 50, height: 40, seed: 2)
        try expect(roundTrip(image, .jpeg()).isSame(as: roundTrip(image, .jpeg(isProgressive: true))))
        #expect(
            try ImageCoders.default.encode(image, as: .jpeg())
                != ImageCoders.default.encode(image, as: .jpeg(isProgressive: true)))
        let clear = try DecodedImage(
            width: 16, height: 16, frames: [.init(pixels: [UInt8](repeating: 0, count: 1_024))], hasAlpha: true)
        let red = PixelColor(red: 200, green: 10, blue: 30)
        try expect(roundTrip(clear, .jpeg(quality: 100)).frames[0].pixels.allSatisfy { $0 >= 254 })
        let pixels = try roundTrip(clear, .jpeg(quality: 100, background: red)).frames[0].pixels
        expect(PixelComparison(Array(pixels[0..<4]), [200, 10, 30, 255]).maxDifference, <=, 3)
        // Colours above their alpha, which no coder makes, are as bright as can be.
        let bright = [[UInt8]](repeating: [255, 255, 255, 128], count: 256).flatMap { $0 }
        let loud = try DecodedImage(width: 16, height: 16, frames: [.init(pixels: bright)], hasAlpha: true)
        try expect(roundTrip(loud, .jpeg(quality: 100)).frames[0].pixels.allSatisfy { $0 >= 254 })
    }

    @Test func `GIF gives few colours and timing back exactly, and writes only the changed part`() throws {
        for hasAlpha in [false, true] {
            let frames = (0..<4).map { frame in
                let pixels = (0..<24 * 18).flatMap { index -> [UInt8] in
                    let color = (index * 7 + frame * index / 50) % (hasAlpha ? 41 : 40)
                    return color == 40 ? [0, 0, 0, 0] : [UInt8(color * 6), UInt8(255 - color), UInt8(color * 3), 255]
                }
                return DecodedImage.Frame(pixels: pixels, duration: .milliseconds(20 + frame * 30))
            }
            for loopCount in [0, 1, 5] {
                let image = try DecodedImage(
                    width: 24, height: 18, frames: frames, loopCount: loopCount, hasAlpha: hasAlpha)
                try expect(roundTrip(image, .gif).isSame(as: image))
            }
        }
        var pixels = ImageFactory.picture(width: 64, height: 64, seed: 5).frames[0].pixels
        let first = DecodedImage.Frame(pixels: pixels, duration: .milliseconds(100))
        pixels[(20 * 64 + 30) * 4] ^= 0x80
        let second = DecodedImage.Frame(pixels: pixels, duration: .milliseconds(100))
        let still = try DecodedImage(width: 64, height: 64, frames: [first], hasAlpha: false)
        let moved = try DecodedImage(width: 64, height: 64, frames: [first, second, second], hasAlpha: false)
        let added =
            try ImageCoders.default.encode(moved, as: .gif).count
            - ImageCoders.default.encode(still, as: .gif).count
        expect(added, <, 120)
        try expectEqual(roundTrip(moved, .gif).frames.count, 3)
    }

    @Test(arguments: [1, 2, 4, 16, 128, 255])
    func `transparency has an entry of its own in a GIF, also beside a palette that is full`(colors: Int) throws {
        let pixels = (0...colors).flatMap { index -> [UInt8] in
            index == colors ? [0, 0, 0, 0] : [UInt8(index), UInt8(255 - index), UInt8(index / 2), 255]
        }
        let image = try DecodedImage(width: colors + 1, height: 1, frames: [.init(pixels: pixels)], hasAlpha: true)
        let bytes = try ImageCoders.default.encode(image, as: .gif)
        try expectEqual(ImageCoders.default.decode(bytes).pixels, pixels)
        // The first version has neither transparency nor times.
        expect(bytes.starts(with: "GIF89a".utf8))
    }

    @Test(arguments: [EncodedFormat.gif, .losslessWebP, .apng])
    func `times are rounded to what a file can say, and the longest ones and most plays are what it holds`(
        format: EncodedFormat
    ) throws {
        let times: [Duration] = [.zero, .milliseconds(44), .milliseconds(46), .seconds(1_000_000)]
        let frames = times.enumerated().map { index, time in
            DecodedImage.Frame(pixels: [UInt8(index), 9, 9, 255], duration: time)
        }
        let image = try DecodedImage(width: 1, height: 1, frames: frames, loopCount: 70_000, hasAlpha: false)
        let bytes = try ImageCoders.default.encode(image, as: format)
        let back = try ImageCoders.default.decode(bytes)
        // Less than 11 milliseconds count as 100.
        let milliseconds = [.gif: [20, 40, 50, 655_350], .webp: [100, 44, 46, 0xFF_FFFF]][format.format]
        expectEqual(back.durations, (milliseconds ?? [100, 44, 46, 6_553_500]).map { .milliseconds($0) })
        expectEqual(back.loopCount, format == .apng ? 70_000 : 65_535)
        if format == .losslessWebP {
            // No frame of a WebP is shown for no time.
            let work = DecodingWork(limits: .default, byteCount: bytes.count)
            let written = try WebPOutline(bytes, DecodeOptions()).frames(of: bytes, upTo: 4, work)
            expectEqual(written.map(\.duration), [1, 44, 46, 0xFF_FFFF])
        }
        // Programs play a GIF once more than its count says, so one that plays once has none.
        let once = try DecodedImage(width: 1, height: 1, frames: frames, loopCount: 1, hasAlpha: false)
        let file = try ImageCoders.default.encode(once, as: format)
        try expectEqual(ImageCoders.default.decode(file).loopCount, 1)
        expect(!String(decoding: file, as: UTF8.self).contains("NETSCAPE"))
    }

    @Test(arguments: [EncodedFormat.gif, EncodedFormat(.png, options: EncodeOptions(maximumColors: 256))])
    func `pixels of half alpha are opaque in a palette, and the colours of fainter ones take no place in it`(
        format: EncodedFormat
    ) throws {
        let colors = (0..<254).map { [UInt8($0), UInt8(255 - $0), 7, 255] as [UInt8] }
        let faint = (0..<100).map { [UInt8($0), 1, 100, 127] as [UInt8] }
        let pixels = (colors + faint + [[128, 0, 4, 128]]).flatMap { $0 }
        let image = try DecodedImage(width: 355, height: 1, frames: [.init(pixels: pixels)], hasAlpha: true)
        let back = try roundTrip(image, format).pixels
        expectEqual(back.prefix(254 * 4), pixels.prefix(254 * 4))
        expect(back[254 * 4..<354 * 4].allSatisfy { $0 == 0 })
        expectEqual(back.suffix(4), [255, 0, 8, 255])
    }

    @Test func `GIF quantises many colours, better with dithering on average`() throws {
        // A smooth ramp in all channels: thousands of colours.
        let pixels = (0..<96 * 96).flatMap { index -> [UInt8] in
            let (x, y) = (index % 96, index / 96)
            return [UInt8(x * 255 / 95), UInt8(y * 255 / 95), UInt8((x + y) * 255 / 190), 255]
        }
        let image = try DecodedImage(width: 96, height: 96, frames: [.init(pixels: pixels)], hasAlpha: false)
        let plain = try roundTrip(image, .gif(isDithered: false))
        let dithered = try roundTrip(image, .gif(isDithered: true))
        expect(PixelComparison(plain.frames[0].pixels, pixels).psnr, >, 30)
        expect(PixelComparison(dithered.frames[0].pixels, pixels).psnr, >, 28)
        // Means of 8 by 8 blocks: error diffusion keeps them, plain rounding does not.
        func blockError(_ other: [UInt8]) -> Int {
            var error = 0
            for block in 0..<144 {
                for channel in 0..<3 {
                    var sum = 0
                    for inner in 0..<64 {
                        let index = (block / 12 * 8 + inner / 8) * 96 + block % 12 * 8 + inner % 8
                        sum += Int(other[index * 4 + channel]) - Int(pixels[index * 4 + channel])
                    }
                    error += abs(sum)
                }
            }
            return error
        }
        expect(blockError(dithered.frames[0].pixels) * 2, <, blockError(plain.frames[0].pixels))
        let again = try ImageCoders.default.encode(image, as: .gif)
        try expectEqual(again, ImageCoders.default.encode(image, as: .gif))
    }

    @Test func `lossless WebP gives an animation back, and lossy WebP its timing and likeness`() throws {
        for hasAlpha in [false, true] {
            let animation = ImageFactory.animation(width: 40, height: 30, frames: 5, seed: 4, hasAlpha: hasAlpha)
            let image = try DecodedImage(
                width: 40, height: 30, frames: animation.frames, loopCount: 3, hasAlpha: hasAlpha)
            try expect(roundTrip(image, .losslessWebP).isSame(as: image), "alpha \(hasAlpha)")
        }
        let image = ImageFactory.animation(width: 40, height: 30, frames: 5, seed: 4)
        let back = try roundTrip(image, .webp(quality: 90))
        expectEqual(back.frames.map(\.duration), image.frames.map(\.duration))
        for (frame, original) in zip(back.frames, image.frames) {
            expect(PixelComparison(frame.pixels, original.pixels).psnr, >, 20)
        }
    }

    @Test func `an animated WebP is stored exactly if each of its frames is`() throws {
        let image = ImageFactory.animation(width: 40, height: 30, frames: 2, seed: 4)
        // The frames of a file, and what comes before them.
        func parts(_ format: EncodedFormat) throws -> [[UInt8]] {
            let file = try ImageCoders.default.encode(image, as: format)
            let starts = file.indices.filter { file[$0...].starts(with: "ANMF".utf8) } + [file.count]
            return [Array(file[12..<starts[0]])] + zip(starts, starts.dropFirst()).map { Array(file[$0..<$1]) }
        }
        let (exact, lossy) = (try parts(.losslessWebP), try parts(.webp(quality: 50)))
        try #require(exact.count == 3 && lossy.count == 3)
        for (first, second) in [(exact, exact), (lossy, exact), (exact, lossy), (lossy, lossy)] {
            let chunks = "WEBP".utf8 + exact[0] + first[1] + second[2]
            let length = (0..<4).map { UInt8(truncatingIfNeeded: chunks.count >> ($0 * 8)) }
            let properties = try ImageCoders.default.properties(of: "RIFF".utf8 + length + chunks)
            expectAll(properties.frameCount == 2, properties.isLossless == (first == exact && second == exact))
        }
    }

    @Test func `an animation becomes its first frame on request, and in a format without animations`() throws {
        let image = ImageFactory.animation(width: 40, height: 30, frames: 5, seed: 4)
        for format in [EncodedFormat.jpeg(), .png] {
            let bytes = try ImageCoders.default.encode(image, as: format)
            try expectEqual(bytes, ImageCoders.default.encode(image.firstFrame, as: format), "\(format.key)")
        }
        for format in [ImageFormat.gif, .webp] {
            let first = EncodedFormat(format, options: EncodeOptions(isLossless: true, firstFrameOnly: true))
            try expectEqual(roundTrip(image, first).frames.count, 1, "\(format.name)")
        }
    }

    @Test func `a size a format cannot hold is refused`() throws {
        let wide = try DecodedImage(
            width: 70_000, height: 1, frames: [.init(pixels: [UInt8](repeating: 9, count: 280_000))], hasAlpha: false)
        for format in [EncodedFormat.jpeg(), .gif, .webp(), .losslessWebP] {
            expectImageError(.tooLarge) { try ImageCoders.default.encode(wide, as: format) }
        }
        try expectEqual(ImageCoders.default.properties(of: ImageCoders.default.encode(wide, as: .png)).width, 70_000)
    }
}
