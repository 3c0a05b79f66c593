// SPDX-License-Identifier: MIT
import ImageCoding
import Locks
import TestSupport
import Testing

/// Transformers of a program's own, written as the guides show them.
@Suite struct MapFramesTests {
    /// Frames of one pixel, and which of them were asked for.
    private final class Source: FrameSource {
        let durations = (0..<3).map { Duration.milliseconds(10 * ($0 + 1)) }
        let byteCount = 7
        let asked = Mutex<[Int]>([])

        func pixels(at index: Int) -> [UInt8] {
            asked.withLock { $0.append(index) }
            return [UInt8(index), 0, 0, 200]
        }
    }

    private let negative = CustomTransformer(key: "negative") { image in
        try image.mapFrames { pixels in
            pixels.indices.map { $0 % 4 == 3 ? pixels[$0] : pixels[$0 | 3] - pixels[$0] }
        }
    }

    private func animation(_ source: Source, onDemand: Bool) throws -> DecodedImage {
        var image = try DecodedImage(
            width: 1, height: 1, firstFrame: [0, 0, 0, 200], source: source, loopCount: 4, hasAlpha: true,
            damage: .missingEnd)
        image.scale = 2
        image.metadata = ImageMetadata(copyright: "a")
        return onDemand ? image : try image.loadingAllFrames()
    }

    @Test(arguments: [true, false])
    func `a transformer of one's own keeps frames, timing, scale, metadata and damage`(onDemand: Bool) throws {
        let source = Source()
        let image = try negative.transform(animation(source, onDemand: onDemand))
        expectEqual(image.makesFramesOnDemand, onDemand)
        if onDemand { expectEqual(source.asked.withLock { $0 }, [], "no frame is made before it is asked for") }
        try expectEqual((0..<3).map { try image.frame(at: $0).pixels[0] }, [200, 199, 198])
        expectEqual(image.durations, source.durations)
        expectAll(image.loopCount == 4, image.hasAlpha, image.scale == 2, image.damage == .missingEnd)
        expectEqual(image.metadata?.copyright, "a")
    }

    @Test func `another size and no transparency are what the transformer says`() throws {
        let image = try animation(Source(), onDemand: true).mapFrames(
            to: PixelSize(width: 2, height: 1), hasAlpha: false
        ) { $0[..<3] + [255] + $0[..<3] + [255] }
        expectAll(image.width == 2, !image.hasAlpha)
        try expectEqual(image.frame(at: 2).pixels, [2, 0, 0, 255, 2, 0, 0, 255])
    }

    @Test(arguments: [true, false])
    func `a frame with another number of bytes is an error, and no picture`(onDemand: Bool) throws {
        let image = try animation(Source(), onDemand: onDemand)
        for size in [PixelSize(width: 2, height: 1), PixelSize(width: 0, height: 1), PixelSize(width: -1, height: 1)] {
            expectImageError(.invalidRequest) { try image.mapFrames(to: size) { $0 } }
        }
        // The first frame is right, a later one is not.
        let late: @Sendable ([UInt8]) -> [UInt8] = { $0[0] == 2 ? $0 + $0 : $0 }
        if onDemand {
            let mapped = try image.mapFrames(late)
            try expectEqual(mapped.frame(at: 1).pixels.count, 4)
            expectImageError(.invalidRequest) { try mapped.frame(at: 2) }
        } else {
            expectImageError(.invalidRequest) { try image.mapFrames(late) }
        }
    }
}
