// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Frames that are made when they are asked for are those that a whole decode gives.
@Suite("Frames on demand")
struct FramesOnDemandTests {
    private static let animations = Fixture.all.filter { $0.durations.count > 1 }

    private func decode(_ bytes: [UInt8], _ options: (inout DecodeOptions) -> Void = { _ in }) throws -> DecodedImage {
        var all = DecodeOptions(framesOnDemand: true)
        options(&all)
        return try ImageCoders.default.decode(bytes, options: all)
    }

    @Test(arguments: animations)
    func `every frame is that of a whole decode, in any order, small, transformed and written`(
        fixture: Fixture
    ) throws {
        let bytes = try fixture.bytes
        let whole = try ImageCoders.default.decode(bytes)
        let image = try decode(bytes)
        expect(image.makesFramesOnDemand)
        expect(!whole.makesFramesOnDemand)
        expectEqual(image.durations, whole.durations)
        expectEqual(image.loopCount, whole.loopCount)
        expect(image.hasAlpha || !whole.hasAlpha)
        let count = whole.frameCount
        for index in Array(0..<count) + (0..<count).reversed() + [count - 1, 0, count / 2, count / 2] {
            try expectEqual(image.frame(at: index).pixels, whole.frame(at: index).pixels, "frame \(index)")
        }
        try expectEqual(image.loadingAllFrames().frames.map(\.pixels), whole.frames.map(\.pixels))
        // A thumbnail on demand is the thumbnail, and the first frame alone is in memory.
        let resize = ResizeTransformer(size: PixelSize(width: 9, height: 9), mode: .fill)
        let thumbnail = try ImageCoders.default.decode(bytes, options: DecodeOptions(thumbnail: resize))
        let small = try decode(bytes) { $0.thumbnail = resize }
        expect(small.makesFramesOnDemand)
        expectEqual(small.frames.map(\.pixels), thumbnail.frames.map(\.pixels))
        let first = try decode(bytes) { $0.firstFrameOnly = true }
        expect(!first.makesFramesOnDemand)
        expectEqual(first.frameCount, 1)
        expect(image.firstFrame.isSame(as: whole.firstFrame) || image.hasAlpha != whole.hasAlpha)
        // Transformers and encoders take frames on demand.
        let transformer: any ImageTransforming = .pipeline([
            .crop(to: PixelRect(x: 1, y: 1, width: 9, height: 7)), .resize(to: PixelSize(width: 5, height: 5)),
        ])
        let (made, expected) = (try transformer.transform(image), try transformer.transform(whole))
        expect(made.makesFramesOnDemand)
        expectEqual(made.frames.map(\.pixels), expected.frames.map(\.pixels))
        let back = try ImageCoders.default.decode(ImageCoders.default.encode(made, as: .losslessWebP))
        expectEqual(back.frames.last?.pixels, expected.frames.last?.pixels)
    }

    @Test(arguments: Fixture.all.filter { $0.durations.count == 1 })
    func `a still picture is in memory`(fixture: Fixture) throws {
        let image = try decode(fixture.bytes)
        expect(!image.makesFramesOnDemand)
        try expect(image.isSame(as: ImageCoders.default.decode(fixture.bytes)))
    }

    @Test(arguments: [EncodedFormat.gif, .webp()])
    func `an animation beyond the pixels of all frames is read on demand`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 9, seed: 3, as: format)
        let limits = ImageLimits(maximumAnimationPixelCount: 40 * 30 * 8)
        expectImageError {
            try ImageCoders.default.decode(bytes, options: DecodeOptions(limits: limits))
        }
        try expectEqual(decode(bytes) { $0.limits = limits }.frames.count, 9)
        let few = ImageLimits(maximumFrameCount: 8)
        expectImageError(.tooLarge) { try decode(bytes) { $0.limits = few } }
        let options = DecodeOptions(framesOnDemand: true)
        let cost = try ImageCoders.default.decodingByteCount(of: bytes, options: options)
        try expect(cost, <, ImageCoders.default.decodingByteCount(of: bytes) - 40 * 30 * 4 * 6)
        // What the source keeps is known without making a frame.
        try expect(decode(bytes).byteCount, >=, 40 * 30 * 4 + bytes.count)
    }

    @Test func `a broken frame fails when it is asked for, and the others do not`() throws {
        var bytes = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 4, seed: 3, as: .losslessWebP)
        let frames = bytes.indices.filter { bytes[$0...].starts(with: "ANMF".utf8) }
        // The width in the last frame's pixels, after three headers and a signature.
        bytes[frames[3] + 33] ^= 1
        let image = try decode(bytes)
        expectEqual(image.frameCount, 4)
        for _ in 0..<2 {
            expectImageError { try image.frame(at: 3) }
            try expectEqual(image.frame(at: 2).pixels.count, 40 * 30 * 4)
        }
        for index in [-1, 4, .max] {
            expectImageError(.invalidRequest) { try image.frame(at: index) }
        }
        expectImageError { try image.loadingAllFrames() }
    }

    @Test func `an animation that ends early says so at once`() throws {
        let bytes = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 4, seed: 3, as: .gif)
        try expectEqual(decode(bytes.dropLast(1)).damage, .missingEnd)
        expectImageError { try decode(bytes.dropLast(1)) { $0.failOn = .anyDamage } }
        expectImageError(.truncated) { try decode(bytes.dropLast(30)) }
        let partial = try decode(bytes.dropLast(30)) { $0.failOn = .never }
        expectEqual(partial.frameCount, 3)
        expectEqual(partial.damage, [.missingEnd, .missingPixels])
    }

    /// A source whose frames are one byte each.
    private struct Stub: FrameSource {
        let durations: [Duration]
        let byteCount = 7
        var pixelByteCount = 4

        func pixels(at index: Int) -> [UInt8] { [UInt8](repeating: UInt8(index), count: pixelByteCount) }
    }

    @Test func `a picture is made from a source, whose frames are checked`() throws {
        let times = [Duration.milliseconds(10), .milliseconds(20)]
        func image(_ source: Stub, _ first: [UInt8] = [0, 0, 0, 0]) throws -> DecodedImage {
            try DecodedImage(width: 1, height: 1, firstFrame: first, source: source, hasAlpha: true)
        }
        let two = try image(Stub(durations: times))
        expectEqual(two.byteCount, 4 + 7)
        try expectEqual(two.frame(at: 1).pixels, [1, 1, 1, 1])
        try expectEqual(two.frame(at: 1).duration, .milliseconds(20))
        let wrong = try image(Stub(durations: times, pixelByteCount: 5))
        expectImageError { try wrong.frame(at: 1) }
        expectImageError { try image(Stub(durations: [])) }
        expectImageError { try image(Stub(durations: times), [1]) }
        // Before a damaged first frame nothing can end.
        let broken = try DecodedImage(
            width: 1, height: 1, firstFrame: [0, 0, 0, 0], source: Damaged(durations: times), hasAlpha: true)
        expectImageError(.malformed) { try broken.releasingFirstFrame().forEachFrame { _, _ in } }
        try expectEqual(broken.loadingAllFrames().frameCount, 1)
        // Nor does it end before a frame that could not be made for another reason.
        for code in [ImageError.Code.malformed, .truncated, .memoryLimitExceeded, .workLimitExceeded, .outOfMemory] {
            let image = try DecodedImage(
                width: 1, height: 1, firstFrame: [0, 0, 0, 0], source: Damaged(durations: times, code: code),
                hasAlpha: true)
            let result = Result { try image.forEachFrame { _, _ in } }
            expectEqual((try? result.get()) != nil, [.malformed, .truncated].contains(code), "\(code)")
        }
    }

    /// A source whose frames are all damaged.
    private struct Damaged: FrameSource {
        let durations: [Duration]
        let byteCount = 0
        let endsAtDamage = true
        var code = ImageError.Code.malformed

        func pixels(at index: Int) throws -> [UInt8] { throw ImageError(code: code, message: "Frame \(index).") }
    }
}
