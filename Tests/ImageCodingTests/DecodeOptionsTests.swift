import TestSupport
import Testing
import WebImageTesting

// SPDX-License-Identifier: MIT
@testable import ImageCoding

@Suite("DecodeOptions")
struct DecodeOptionsTests {
    private func decode(
        _ bytes: [UInt8], budget: Int?, thumbnail: ResizeTransformer? = nil, first: Bool = false
    ) throws -> DecodedImage {
        try ImageCoders.default.decode(
            bytes, options: DecodeOptions(firstFrameOnly: first, thumbnail: thumbnail, byteBudget: budget))
    }

    @Test(arguments: [EncodedFormat.jpeg(), .png, .gif, .webp()])
    func `a picture beyond the budget is made smaller and keeps its shape`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 120, height: 60, seed: 1, as: format)
        let whole = 120 * 60 * 4
        try expectEqual(decode(bytes, budget: whole).width, 120)
        try expectEqual(decode(bytes, budget: nil).width, 120)
        let less = try decode(bytes, budget: whole - 1)
        #expect(less.byteCount < whole)
        expectEqual(less.width, 119)
        let quarter = try decode(bytes, budget: whole / 4)
        expectEqual(quarter.size, PixelSize(width: 60, height: 30))
        for budget in [Int.min, -1, 0, 1, 3, 4] {
            try expectEqual(decode(bytes, budget: budget).size, PixelSize(width: 1, height: 1))
        }
        for budget in [5, 8, 20, 100, 1_000, 5_555] {
            let image = try decode(bytes, budget: budget)
            #expect(image.byteCount <= budget)
            #expect(
                try ImageCoders.default.decodingByteCount(of: bytes, options: DecodeOptions(byteBudget: budget)) > 0)
        }
    }

    @Test func `a budget is shared by all frames, thumbnails and the pixels of a thin picture`() throws {
        // A thin picture keeps one pixel and takes the rest along the other side.
        let thin = try decode(ImageFactory.encoded(width: 400, height: 1, seed: 1, as: .png), budget: 40)
        expectEqual(thin.height, 1)
        #expect(thin.byteCount <= 40)
        // All frames count, and one if only the first is wanted.
        let animation = try ImageFactory.encodedAnimation(width: 40, height: 40, frames: 4, seed: 1, as: .gif)
        let all = try decode(animation, budget: 40 * 40 * 4)
        expectEqual(all.size, PixelSize(width: 20, height: 20))
        expectEqual(all.byteCount, 40 * 40 * 4)
        try expectEqual(decode(animation, budget: 40 * 40 * 4, first: true).width, 40)
        // A thumbnail within the budget stays, and another is made smaller.
        let bytes = try ImageFactory.encoded(width: 120, height: 60, seed: 1, as: .jpeg())
        let fill = ResizeTransformer(size: PixelSize(width: 40, height: 40), mode: .fill)
        try expectEqual(decode(bytes, budget: 6_400, thumbnail: fill).width, 40)
        try expectEqual(decode(bytes, budget: 1_600, thumbnail: fill).size, PixelSize(width: 20, height: 20))
    }

    @Test func `the scale is carried by the picture and what is made from it`() throws {
        let bytes = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 2, seed: 1, as: .gif)
        let plain = try ImageCoders.default.decode(bytes)
        expectEqual(plain.scale, 1)
        let image = try ImageCoders.default.decode(bytes, options: DecodeOptions(scale: 2))
        expectEqual(image.scale, 2)
        expect(image.isSame(as: plain))
        try expectEqual(ResizeTransformer(size: PixelSize(width: 8, height: 8)).transform(image).scale, 2)
        expectEqual(image.firstFrame.scale, 2)
        for scale in [0, -1, .nan, .infinity] {
            expectImageError(.invalidRequest) {
                try ImageCoders.default.decode(bytes, options: DecodeOptions(scale: scale))
            }
        }
    }
}
