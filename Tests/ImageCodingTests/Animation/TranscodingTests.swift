// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite struct TranscodingTests {
    @Test func `an animation is written frame by frame as a whole decode is`() throws {
        let coders = ImageCoders.default
        let file = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 5, seed: 4, as: .gif)
        let transformers: [any ImageTransforming] = [.resize(to: PixelSize(width: 20, height: 20)), .flip(.horizontal)]
        let whole = try TransformerPipeline(transformers).transform(coders.decode(file))
        for format in [EncodedFormat.losslessWebP, .gif(isDithered: false), .jpeg()] {
            let bytes = try coders.transcode(file, as: format, transformers: transformers)
            try expectEqual(bytes, coders.encode(whole, as: format))
        }
        let first = EncodedFormat(.webp, options: EncodeOptions(firstFrameOnly: true))
        try expectEqual(coders.decode(coders.transcode(file, as: first)).frameCount, 1)
    }

    @Test func `an animation beyond the pixels of all frames is written all the same`() throws {
        let file = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 9, seed: 3, as: .gif)
        let options = DecodeOptions(limits: ImageLimits(maximumAnimationPixelCount: 40 * 30 * 2))
        let bytes = try ImageCoders.default.transcode(file, as: .webp(), options: options)
        try expectEqual(ImageCoders.default.properties(of: bytes).frameCount, 9)
        expectImageError { try ImageCoders.default.decode(file, options: options) }
    }
}
