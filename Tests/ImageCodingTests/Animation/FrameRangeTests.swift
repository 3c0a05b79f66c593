// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// A run of frames is what a whole decode has at their indexes.
@Suite("Frame range")
struct FrameRangeTests {
    private static let formats: [EncodedFormat] = [.gif(isDithered: false), .losslessWebP, .apng]

    private func decode(
        _ bytes: [UInt8], _ run: FrameRange, _ change: (inout DecodeOptions) -> Void = { _ in }
    ) throws -> DecodedImage {
        var options = DecodeOptions(frames: run)
        change(&options)
        return try ImageCoders.default.decode(bytes, options: options)
    }

    /// Checks a run of an animation, in memory and on demand.
    private func check(_ run: Range<Int>, of bytes: [UInt8], _ whole: DecodedImage) throws {
        let wanted = run.clamped(to: 0..<whole.frameCount)
        for onDemand in [false, true] {
            let part = try decode(bytes, .run(run)) { $0.framesOnDemand = onDemand }
            expectEqual(part.makesFramesOnDemand, onDemand && wanted.count > 1, "\(run)")
            expectEqual(part.frameCount, wanted.count, "\(run)")
            // Backwards, so that a source begins anew.
            for index in wanted.indices.reversed() {
                let (frame, expected) = (try part.frame(at: index - wanted.lowerBound), try whole.frame(at: index))
                expectEqual(frame.pixels, expected.pixels, "\(run), frame \(index)")
                expectEqual(frame.duration, wanted.count == 1 ? .zero : expected.duration)
            }
            expectEqual(part.loopCount, wanted.count == 1 ? 0 : whole.loopCount)
            let isClear = whole.frames[wanted].contains { !Bitmap.isOpaque($0.pixels) }
            expect(part.hasAlpha == isClear || part.hasAlpha && part.makesFramesOnDemand)
        }
    }

    @Test(arguments: Fixture.all.filter { $0.durations.count > 1 })
    func `every run of a file is those frames, and one frame alone is a still picture`(fixture: Fixture) throws {
        let bytes = try fixture.bytes
        let whole = try ImageCoders.default.decode(bytes)
        for start in 0..<whole.frameCount {
            for end in start + 1...whole.frameCount { try check(start..<end, of: bytes, whole) }
        }
    }

    @Test(arguments: formats)
    func `a run that ends after the last frame ends with it, and may be a thumbnail`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 6, seed: 8, as: format)
        let whole = try ImageCoders.default.decode(bytes)
        for run in [0..<2, 3..<5, 4..<9, 5..<Int.max, 0..<Int.max] { try check(run, of: bytes, whole) }
        let resize = ResizeTransformer(size: PixelSize(width: 9, height: 9))
        let small = try resize.transform(whole)
        for run in [0..<1, 2..<3, 2..<5] {
            let part = try decode(bytes, .run(run)) { $0.thumbnail = resize }
            expectEqual(part.frames.map(\.pixels), small.frames[run].map(\.pixels))
        }
        expectAll(FrameRange.run(-5..<1) == .first, FrameRange.run(0..<Int.max) == .all)
        expectAll(DecodeOptions(firstFrameOnly: true).frames == .first, !DecodeOptions(frames: .all).firstFrameOnly)
    }

    @Test(arguments: [EncodedFormat.jpeg(), .png, .gif, .webp(), .apng])
    func `a run without a frame of the file is refused`(format: EncodedFormat) throws {
        let still = try ImageFactory.encoded(width: 20, height: 16, seed: 8, as: format)
        let animation = try ImageFactory.encodedAnimation(width: 20, height: 16, frames: 3, seed: 8, as: format)
        for onDemand in [false, true] {
            func refuses(_ bytes: [UInt8], _ run: Range<Int>) {
                expectImageError(.invalidRequest) { try decode(bytes, .run(run)) { $0.framesOnDemand = onDemand } }
            }
            for run in [1..<2, 0..<0, -4..<0, 1_000_000..<Int.max, Int.max..<Int.max] { refuses(still, run) }
            for run in [3..<4, 2..<2, Int.max - 1..<Int.max] { refuses(animation, run) }
            try expectEqual(decode(still, .run(0..<9)) { $0.framesOnDemand = onDemand }.frameCount, 1)
        }
    }

    @Test(arguments: formats)
    func `limits count the frames of the run, and the work those before it`(format: EncodedFormat) throws {
        let (width, height) = (40, 30)
        // Only a part of each frame changes, so there is no keyframe but the first frame.
        let frames = (0..<9).map { index in
            DecodedImage.Frame(
                pixels: (0..<width * height).flatMap { [$0 == index ? 0 : 200, 90, 160, 255] },
                duration: .milliseconds(100))
        }
        let bytes = try ImageCoders.default.encode(
            DecodedImage(width: width, height: height, frames: frames, hasAlpha: false), as: format)
        func code(_ run: Range<Int>, _ limits: ImageLimits, onDemand: Bool) -> ImageError.Code? {
            do {
                _ = try decode(bytes, .run(run)) { ($0.limits, $0.framesOnDemand) = (limits, onDemand) }
                return nil
            } catch { return (error as? ImageError)?.code }
        }
        let few = ImageLimits(maximumFrameCount: 3)
        let small = ImageLimits(maximumAnimationPixelCount: width * height * 3)
        // At least the canvas of each frame.
        let work = ImageLimits(maximumDrawnPixelCount: width * height * 5)
        for onDemand in [false, true] {
            expectNil(code(5..<8, few, onDemand: onDemand))
            expectEqual(code(5..<9, few, onDemand: onDemand), .tooLarge)
            expectNil(code(5..<8, small, onDemand: onDemand))
            expectEqual(code(5..<9, small, onDemand: onDemand), onDemand ? nil : .tooLarge)
            expectEqual(code(6..<7, work, onDemand: onDemand), .workLimitExceeded)
            expectEqual(code(6..<9, work, onDemand: onDemand), .workLimitExceeded)
            expectNil(code(0..<1, work, onDemand: onDemand))
        }
        func cost(_ run: Range<Int>, onDemand: Bool) throws -> Int {
            try ImageCoders.default.decodingByteCount(
                of: bytes, options: DecodeOptions(frames: .run(run), framesOnDemand: onDemand))
        }
        try expectEqual(cost(0..<7, onDemand: false) - cost(0..<4, onDemand: false), 3 * width * height * 4)
        try expectEqual(cost(5..<9, onDemand: false), cost(5..<20, onDemand: false))
        try expectEqual(cost(5..<9, onDemand: true), cost(5..<8, onDemand: true))
    }

    @Test(arguments: formats)
    func `a run in a broken file has a frame at least, or is refused`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encodedAnimation(width: 12, height: 9, frames: 4, seed: 8, as: format)
        for offset in stride(from: bytes.count / 3, to: bytes.count - 8, by: max(1, bytes.count / 60)) {
            var broken = bytes
            broken.replaceSubrange(offset..<offset + 6, with: [UInt8](repeating: 0xFF, count: 6))
            do {
                let part = try decode(broken, .run(2..<4)) { $0.failOn = .never }
                expectAll(part.frameCount >= 1, part.pixels.count == 12 * 9 * 4)
            } catch { expect(error is ImageError) }
        }
    }

    @Test(arguments: formats) func `damage after the run is not seen`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encodedAnimation(width: 40, height: 30, frames: 6, seed: 8, as: format)
        let whole = try ImageCoders.default.decode(bytes)
        let cut = Array(bytes.dropLast(30))
        expectImageError(.truncated) { try ImageCoders.default.decode(cut) }
        for onDemand in [false, true] {
            let part = try decode(cut, .run(2..<4)) { $0.framesOnDemand = onDemand }
            expectEqual(part.frames.map(\.pixels), whole.frames[2..<4].map(\.pixels))
            expect(!part.damage.contains(.missingPixels))
        }
    }
}
