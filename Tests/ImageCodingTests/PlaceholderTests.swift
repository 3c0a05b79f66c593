// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// BlurHash, ThumbHash and the dominant colour. The expected values are those of blurhash 1.1.5 and thumbhash-python
/// 1.0.1 for the same pixels.
@Suite("Placeholders")
struct PlaceholderTests {
    /// Gradients; with alpha, the upper left of it is transparent.
    private func picture(_ width: Int, _ height: Int, hasAlpha: Bool = false) throws -> DecodedImage {
        var pixels = [UInt8]()
        for y in 0..<height {
            for x in 0..<width {
                let isClear = hasAlpha && x < width / 3 && y < height / 2
                pixels += isClear ? [0, 0, 0, 0] : [x * 8, y * 12, x * y, 255].map { UInt8($0 % 256) }
            }
        }
        return try DecodedImage(width: width, height: height, frames: [.init(pixels: pixels)], hasAlpha: hasAlpha)
    }

    private static let hashes: [(width: Int, height: Int, columns: Int, rows: Int, text: String)] = [
        (31, 20, 4, 3, "LtGbeZ2lwtX4qdWCjwe@gFfmfTfg"),
        (
            20, 31, 9, 9,
            "|kAesWF.n{f}a{ozWmoyWmiuayfTfAfPf4fSf7fSdHe@fTe,fOe@fPe:fPl0bJfMfkfUfgfQfifSgefhfPfmfMflfSfifOiRawfTf4fSf9fOf6fRgHflfP"
                + "fifSfhfPflfPkUbHfOfkfPfifSfhfPeCf8fPf9fPf8fPf6fS"
        ),
        (1, 1, 1, 1, "000000"), (7, 5, 1, 3, "I13Ib4*jd]"),
        (32, 32, 5, 4, "VxH1[D2mwtX3a^n4WTjvf9fTdaf9fTf9fPo@W=jvfhfN"),
    ]

    @Test func `a BlurHash has the text of the reference, and is drawn as the reference draws it`() throws {
        for known in Self.hashes {
            let hash = try BlurHash(of: picture(known.width, known.height), columns: known.columns, rows: known.rows)
            expectEqual(hash.text, known.text)
            expectEqual(BlurHash(known.text), hash)
        }
        let hash = try required(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        let expected: [[[Int]]] = [
            [[135, 164, 177], [154, 170, 177], [178, 179, 174], [177, 178, 171], [153, 170, 176]],
            [[128, 158, 173], [145, 158, 166], [168, 158, 153], [166, 159, 151], [145, 159, 167]],
            [[120, 148, 162], [135, 138, 146], [155, 125, 115], [155, 130, 115], [137, 143, 149]],
            [[128, 144, 151], [142, 140, 139], [164, 138, 116], [167, 141, 116], [146, 143, 140]],
        ]
        let image = try hash.image(size: PixelSize(width: 5, height: 4))
        var wanted = [Int]()
        for row in expected { for color in row { wanted += color + [255] } }
        expect(zip(image.pixels, wanted).allSatisfy { abs(Int($0) - $1) <= 1 })
        expectEqual(image.pixels.count, wanted.count)
    }

    @Test func `other texts are no BlurHash, and no size traps`() throws {
        for text in [
            "", "0", "00000", "0000000", "LEHV6nWB2yk8pyo0adR*.7kCMdn", "LEHV6nWB2yk8pyo0adR*.7kCMdn\"", "00~~~~",
            "~~~~~~",
        ] {
            expectNil(BlurHash(text), "\(text)")
        }
        let hash = try required(BlurHash("000000"))
        // A megapixel is drawn, and one row more is not.
        try expectEqual(hash.image(size: PixelSize(width: 1_024, height: 1_024)).size.pixelCount, 1 << 20)
        for side in [0, -1, Int.min, 1_025, .max] {
            expectImageError { try hash.image(size: PixelSize(width: side, height: 1_024)) }
        }
        for count in [Int.min, 0, 10, .max] {
            try expect(BlurHash(of: picture(3, 3), columns: count, rows: count).text.count, >=, 6)
        }
        // What is clear lies on white.
        let size = PixelSize(width: 4, height: 3)
        let (clear, white) = try (PremultipliedCanvas(size).image, PremultipliedCanvas(size, color: .white).image)
        try expectEqual(BlurHash(of: clear), BlurHash(of: white))
        let large = ImageFactory.picture(width: 300, height: 20, seed: 1)
        try expectEqual(BlurHash(of: large).text.count, 28)
    }

    private static let thumbs: [(width: Int, height: Int, hasAlpha: Bool, bytes: [UInt8])] = [
        (
            31, 20, false,
            [219, 8, 14, 29, 152, 96, 118, 119, 112, 136, 120, 134, 120, 103, 120, 135, 245, 134, 15, 247, 136]
        ),
        (
            20, 31, false,
            [22, 200, 9, 37, 20, 96, 118, 115, 136, 8, 136, 119, 120, 137, 87, 151, 218, 143, 20, 168, 248]
        ),
        (
            31, 20, true,
            [
                222, 24, 138, 27, 152, 45, 145, 118, 192, 155, 150, 245, 150, 31, 248, 120, 64, 151, 50, 117, 120, 152,
                121,
            ]
        ),
        (1, 1, false, [0, 8, 2, 7, 0] + [UInt8](repeating: 0, count: 19)),
        (
            50, 9, true,
            [213, 119, 134, 33, 142, 45, 5, 213, 192, 140, 182, 95, 93, 110, 224, 120, 48, 151, 33, 117, 118, 151, 153]
        ),
    ]

    @Test func `a ThumbHash has the bytes of the reference, and is drawn as the reference draws it`() throws {
        for (row, known) in Self.thumbs.enumerated() {
            let hash = try ThumbHash(of: picture(known.width, known.height, hasAlpha: known.hasAlpha))
            // A wave that is not in the picture is stored as 7 or 8, by the rounding of the last bit.
            func nibbles(_ bytes: [UInt8]) -> [UInt8] { bytes.flatMap { [$0 & 15, $0 >> 4] } }
            let different = zip(nibbles(hash.bytes), nibbles(known.bytes)).filter { $0 != $1 }
            expect(different.count <= 1 && different.allSatisfy { [$0, $1].sorted() == [7, 8] }, "row \(row)")
            expectEqual(hash.bytes.prefix(5), known.bytes.prefix(5), "row \(row)")
            expectEqual(ThumbHash(known.bytes)?.bytes, known.bytes, "row \(row)")
            expectNil(ThumbHash(Array(known.bytes.dropLast())), "row \(row)")
            expectNil(ThumbHash(known.bytes + [0]), "row \(row)")
        }
        let drawn: [(index: Int, size: PixelSize, colors: [[Int]])] = [
            (0, PixelSize(width: 32, height: 23), [[0, 0, 0, 255], [129, 119, 156, 255], [237, 224, 124, 255]]),
            (1, PixelSize(width: 23, height: 32), [[33, 1, 0, 255], [63, 200, 140, 255], [186, 46, 152, 255]]),
            (2, PixelSize(width: 32, height: 19), [[144, 107, 47, 40], [118, 101, 141, 255], [231, 226, 118, 255]]),
        ]
        for (index, size, colors) in drawn {
            let image = try required(ThumbHash(PlaceholderTests.thumbs[index].bytes)).image()
            expectEqual(image.size, size)
            let places = [0, size.height / 2 * size.width + size.width / 2, size.width * size.height - 1]
            for (place, color) in zip(places, colors) {
                let pixel = image.pixels[place * 4..<place * 4 + 4].map { Int($0) }
                let wanted = color.dropLast().map { ($0 * color[3] + 127) / 255 } + [color[3]]
                expect(zip(pixel, wanted).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel) \(wanted)")
            }
        }
        expectNil(ThumbHash([0, 0, 0, 0]))
    }

    @Test func `the dominant colour is that of most pixels that are seen`() throws {
        var pixels = [UInt8]()
        for _ in 0..<60 { pixels += [0, 0, 0, 0] }
        for _ in 0..<25 { pixels += [200, 16, 40, 255] }
        for _ in 0..<15 { pixels += [207, 31, 40, 255] }
        for _ in 0..<50 { pixels += [0, 50, 0, 100] }
        let image = try DecodedImage(width: 15, height: 10, frames: [.init(pixels: pixels)], hasAlpha: true)
        try expectEqual(image.dominantColor(), PixelColor(red: 203, green: 22, blue: 40))
        let clear = try DecodedImage(
            width: 2, height: 1, frames: [.init(pixels: [UInt8](repeating: 0, count: 8))], hasAlpha: true)
        try expectNil(clear.dominantColor())
    }
}
