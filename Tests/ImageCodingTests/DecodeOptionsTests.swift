// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

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
        expect(less.byteCount, <, whole)
        expectEqual(less.width, 119)
        let quarter = try decode(bytes, budget: whole / 4)
        expectEqual(quarter.size, PixelSize(width: 60, height: 30))
        for budget in [Int.min, -1, 0, 1, 3, 4] {
            try expectEqual(decode(bytes, budget: budget).size, PixelSize(width: 1, height: 1))
        }
        for budget in [5, 8, 20, 100, 1_000, 5_555] {
            let image = try decode(bytes, budget: budget)
            expect(image.byteCount, <=, budget)
            #expect(
                try ImageCoders.default.decodingByteCount(of: bytes, options: DecodeOptions(byteBudget: budget)) > 0)
        }
    }

    @Test func `a budget is shared by all frames, thumbnails and the pixels of a thin picture`() throws {
        // A thin picture keeps one pixel and takes the rest along the other side.
        let thin = try decode(ImageFactory.encoded(width: 400, height: 1, seed: 1, as: .png), budget: 40)
        expectEqual(thin.height, 1)
        expect(thin.byteCount, <=, 40)
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
        // It keeps the same part, in the same light; and of frames on demand one counts.
        let box = PixelSize(width: 40, height: 40)
        let fine = ResizeTransformer(size: box, mode: .fill, gravity: .top, inLinearLight: true)
        let properties = ImageProperties(format: .gif, width: 120, height: 60, frameCount: 4, hasAlpha: false)
        func thumbnail(_ count: Int, onDemand: Bool) -> String? {
            DecodeOptions(framesOnDemand: onDemand, thumbnail: fine, byteBudget: count).withinBudget { properties }
                .thumbnail?.key
        }
        expectEqual(thumbnail(6_400, onDemand: true), fine.key)
        expectEqual(thumbnail(25_600, onDemand: false), fine.key)
        for (count, isOnDemand) in [(1_600, true), (6_400, false)] {
            expectEqual(thumbnail(count, onDemand: isOnDemand), "resize(20x20,fill,0.5:0.0,linear)")
        }
    }

    /// A coder of a program's own, with the default estimates.
    private struct Plain: ImageDecoding, ImageEncoding {
        func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }
        func properties(of bytes: [UInt8], options: DecodeOptions) -> ImageProperties {
            ImageProperties(format: .gif, width: 3, height: 2, frameCount: 4, hasAlpha: false)
        }
        func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
            .outline(PixelSize(width: 3, height: 2), frames: 4, hasAlpha: false)
        }
        func canEncode(_ format: ImageFormat) -> Bool { true }
        func encode(_ image: DecodedImage, as format: EncodedFormat) -> [UInt8] { [] }
    }

    @Test func `a coder of a program's own counts twice the pixels of the frames that it holds or writes`() throws {
        let coders = ImageCoders(decoders: [Plain()], encoders: [Plain()])
        var options = DecodeOptions(firstFrameOnly: true, framesOnDemand: true)
        try expectEqual(coders.decodingByteCount(of: [0], options: options), 3 * 2 * 4 * 2)
        options.firstFrameOnly = false
        try expectEqual(coders.decodingByteCount(of: [0], options: options), 3 * 2 * 4 * 2 * 4)
        let image = ImageFactory.animation(width: 3, height: 2, frames: 3, seed: 1)
        expectEqual(coders.encodingByteCount(of: image, as: .gif), 3 * 2 * 4 * 2 * 3)
        let first = EncodedFormat(.gif, options: EncodeOptions(firstFrameOnly: true))
        expectEqual(coders.encodingByteCount(of: image, as: first), 3 * 2 * 4 * 2)
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
        try expectEqual(ImageCoders.default.decode(bytes, options: DecodeOptions(scale: 0.5)).scale, 0.5)
        for scale in [0, -1, .nan, .infinity] {
            expectImageError(.invalidRequest) {
                try ImageCoders.default.decode(bytes, options: DecodeOptions(scale: scale))
            }
        }
    }
}
