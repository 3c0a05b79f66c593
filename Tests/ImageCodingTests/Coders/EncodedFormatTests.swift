// SPDX-License-Identifier: MIT
import TestSupport
import Testing

@testable import ImageCoding

@Suite("EncodedFormat")
struct EncodedFormatTests {
    @Test func `different encodings have different keys, equal ones the same, and a key never changes`() {
        let (box, wide) = (PixelSize(width: 5, height: 5), PixelSize(width: 55, height: 5))
        let high = PixelSize(width: 5, height: 55)
        let formats: [EncodedFormat] = [
            .jpeg(), .jpeg(quality: 81), .jpeg(isProgressive: true), .jpeg(background: .black), .png, .png(level: 1),
            .gif, .gif(isDithered: false), .webp(), .webp(quality: 8), .losslessWebP,
            EncodedFormat(.gif, options: EncodeOptions(firstFrameOnly: true)),
            EncodedFormat(ImageFormat(name: "gif", mimeType: "x", fileExtension: "gif")),
            EncodedFormat(ImageFormat(name: "gif:", mimeType: "x", fileExtension: "gif")),
            EncodedFormat(ImageFormat(name: "gif", mimeType: ":x", fileExtension: "gif")),
            // Younger options have keys of their own.
            .webp(effort: 5), .webp().limited(toByteCount: 5), .webp().limited(toByteCount: 55),
            .webp().limited(to: box), .webp().limited(to: wide), .webp().limited(to: high),
            .webp().limited(to: box).limited(toByteCount: 5),
            EncodedFormat(.webp, options: EncodeOptions(nearLossless: 5)),
            EncodedFormat(.webp, options: EncodeOptions(isLossless: true, nearLossless: 5)),
            EncodedFormat(.jpeg, options: EncodeOptions(optimizesCoding: true)),
            EncodedFormat(.jpeg, options: EncodeOptions(optimizesCoding: false)), .apng,
            .webp().limited(toByteCount: 0),
            EncodedFormat(.png, options: EncodeOptions(maximumColors: 5)), .png.keeping(.all), .png.keeping(.copyright),
            EncodedFormat(ImageFormat(name: "gif", mimeType: "y", fileExtension: "gif")),
        ]
        expectEqual(Set(formats.map(\.key)).count, formats.count)
        expectEqual(Set(formats).count, formats.count)
        expectEqual(EncodedFormat.jpeg(quality: 80).key, EncodedFormat.jpeg().key)
        // They leave the older keys as they were.
        expectEqual(EncodedFormat.webp(effort: 4).key, EncodedFormat.webp().key)
        expect(EncodedFormat.webp().key.hasSuffix("first=false)"))
        expectEqual(
            EncodedFormat.jpeg().key,
            "jpeg:image/jpeg:jpg(quality=80,lossless=false,progressive=false,level=6,background=#ffffff,"
                + "dither=true,first=false)")
    }

    @Test func `options out of range are clamped, and the content type is the format's`() {
        expectEqual(EncodedFormat.jpeg(quality: 0), .jpeg(quality: 1))
        expectEqual(EncodedFormat.jpeg(quality: 1_000), .jpeg(quality: 100))
        expectEqual(EncodedFormat.png(level: -3), .png(level: 0))
        expectEqual(EncodedFormat.png(level: 10), .png(level: 9))
        expectEqual(EncodedFormat.webp(effort: 99), .webp(effort: 6))
        // Also those that are set later.
        for value in [Int.min, 0, 200, .max] {
            var options = EncodeOptions()
            (options.quality, options.compressionLevel, options.effort) = (value, value, value)
            (options.nearLossless, options.maximumColors) = (value, value)
            let whole = EncodeOptions(
                quality: value, compressionLevel: value, effort: value, nearLossless: value, maximumColors: value)
            expectEqual(options, whole, "\(value)")
            expectAll((1...100).contains(options.quality), (2...256).contains(options.maximumColors ?? 0))
        }
        expectEqual(EncodedFormat.webp().contentType, "image/webp")
        expectEqual(EncodedFormat.jpeg().contentType, "image/jpeg")
    }
}
