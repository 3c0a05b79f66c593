// SPDX-License-Identifier: MIT
import Foundation
import HTTPTransport
import ImageCoding
import TestSupport
import Testing
import WebImageTesting

@testable import WebImage

/// Animations whose frames together take more memory than a server has.
@Suite(.balanced, .timeLimit(.minutes(3))) struct LongAnimationTests {
    private static let box: any ImageTransforming = .resize(to: PixelSize(width: 32, height: 32))
    private static let crop: any ImageTransforming = .crop(to: PixelRect(x: 0, y: 0, width: 4, height: 4))

    private func staged(
        _ file: [UInt8], hasDisk: Bool = false, _ change: (inout ImageManager.Configuration) -> Void = { _ in }
    ) throws -> StagedManager {
        var configuration = ImageManager.Configuration()
        change(&configuration)
        return try StagedManager(seed: 1, hasDisk: hasDisk, configuration: configuration) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody([file]))
        }
    }

    /// With the coders that a program has, whose decoders make frames on demand.
    private func request(
        _ steps: [any ImageTransforming] = [], _ change: (inout ImageRequest) -> Void = { _ in }
    ) -> ImageRequest {
        var request = ImageRequest.numbered(1, transformers: steps)
        request.coders = Identified(identity: "plain", .default)
        change(&request)
        return request
    }

    private func frameCount(_ staged: StagedManager, _ request: ImageRequest, as format: OutputFormat) -> Int? {
        staged.dataInTurn(request, as: format).value?.frameCount
    }

    // MARK: - On demand

    @Test(arguments: [LongGIF.recording, LongGIF.sticker])
    func `a long animation moves in the memory of a few frames`(file: [UInt8]) throws {
        let properties = try ImageCoders.default.properties(of: file)
        let frame = properties.size.pixelCount * 4
        let limit = frame * 6 + file.count + 6_000_000
        let staged = try staged(file) { $0.maximumProcessingByteCount = limit }
        let whole = try required(staged.loadInTurn(request()).value).image
        expectEqual([whole.frameCount, whole.width], [properties.frameCount, properties.width])
        expect(whole.makesFramesOnDemand)
        try expectEqual(whole.frame(at: 9).pixels.count, frame)
        let small = try required(staged.loadInTurn(request([Self.box])).value).image
        expectEqual([small.frameCount, small.width], [properties.frameCount, 32])
        try expectEqual(small.frame(at: 9).pixels.count, 32 * 32 * 4)
        let cost = staged.manager.memoryStatistics.cost
        expect(cost, >, frame)
        expect(cost, <, frame * 12 + file.count * 6 + 2_000_000)
        let files = request([Self.box]) { $0.cachePolicy = .reload }
        expectEqual(frameCount(staged, files, as: .gif), properties.frameCount)
        expectEqual(staged.dataInTurn(request { $0.cachePolicy = .reload }, as: .original).value?.bytes, file)
        expect(staged.isAtRest)
    }

    @Test func `a small animation is held, and any that asks for all frames within the limits`() throws {
        let (small, large) = (LongGIF.file(side: 20, frames: 9, patch: 4), LongGIF.file(side: 60, frames: 20, patch: 8))
        func onDemand(_ file: [UInt8], _ change: (inout ImageRequest) -> Void = { _ in }) throws -> Bool? {
            let staged = try staged(file) {
                $0.maximumHeldAnimationByteCount = 20_000
                $0.limits.maximumAnimationPixelCount = 100_000
            }
            return staged.loadInTurn(request([], change)).value?.image.makesFramesOnDemand
        }
        try expectEqual(onDemand(small), false)
        try expectEqual(onDemand(large), true)
        try expectEqual(onDemand(large) { $0.allFrames = true }, false)
        // A file without its end does not say how many frames it has.
        try expectEqual(onDemand(LongGIF.file(side: 20, frames: 9, patch: 4, hasEnd: false)), true)
        try expectEqual(onDemand(small) { $0.byteBudget = 4_000 }, true)
        let long = LongGIF.file(side: 60, frames: 30, patch: 8)
        try expectEqual(onDemand(long), true)
        try expectNil(onDemand(long) { $0.allFrames = true })
        try expectEqual(onDemand(long) { ($0.allFrames, $0.fallsBackToFirstFrame) = (true, true) }, false)
    }

    @Test func `a budget counts the frames that are held`() throws {
        let staged = try staged(LongGIF.recording)
        let frame = 500 * 500 * 4
        let whole = staged.loadInTurn(request { $0.byteBudget = frame })
        expectEqual(whole.value?.image.size, PixelSize(width: 500, height: 500))
        let half = staged.loadInTurn(request { $0.byteBudget = frame / 4 })
        expectEqual(half.value?.image.size, PixelSize(width: 250, height: 250))
        expectEqual(half.value?.image.frameCount, 250)
    }

    @Test func `an original is proved by one frame`() throws {
        let file = LongGIF.file(side: 20, frames: 9, patch: 4)
        let staged = try staged(file) { $0.keepsPicturesOfFiles = true }
        expectEqual(staged.dataInTurn(request(), as: .original).value?.frameCount, 9)
        // It is in memory, and its frames are not.
        let picture = try required(staged.loadInTurn(request()).value)
        expectEqual(picture.source, .memory)
        expect(picture.image.makesFramesOnDemand)
        let few = try self.staged(file) { $0.limits.maximumFrameCount = 5 }
        expectEqual(few.dataInTurn(request(), as: .original).value?.frameCount, 9)
        expectEqual(few.loadInTurn(request()).code, .undecodable)
    }

    // MARK: - Limits

    @Test func `beyond the limit of work a file is an error, or the first frame where that is asked for`() throws {
        let file = LongGIF.file(side: 20, frames: 9, patch: 4)
        func outcome(_ falls: Bool, _ format: OutputFormat, _ change: (inout ImageLimits) -> Void) throws -> Int? {
            let staged = try staged(file) { change(&$0.limits) }
            return frameCount(staged, request { $0.fallsBackToFirstFrame = falls }, as: format)
        }
        try expectEqual(outcome(false, .gif) { $0.maximumDrawnPixelCount = 20 * 20 * 9 }, 9)
        try expectNil(outcome(false, .gif) { $0.maximumDrawnPixelCount = 20 * 20 * 9 - 1 })
        try expectEqual(outcome(true, .gif) { $0.maximumDrawnPixelCount = 20 * 20 * 9 - 1 }, 1)
        try expectEqual(outcome(false, .jpeg()) { $0.maximumDrawnPixelCount = 20 * 20 * 9 - 1 }, 1)
        try expectNil(outcome(false, .gif) { $0.maximumFrameCount = 8 })
        try expectEqual(outcome(true, .gif) { $0.maximumFrameCount = 8 }, 1)
        try expectEqual(outcome(true, .gif) { $0.maximumFrameCount = 9 }, 9)
    }

    // MARK: - Transformers

    @Test(arguments: [true, false])
    func `transformers leave an animation alone unless they are asked, but for a resize at the beginning`(
        hasEnd: Bool
    ) throws {
        let staged = try staged(LongGIF.file(side: 60, frames: 9, patch: 8, hasEnd: hasEnd))
        func width(_ steps: [any ImageTransforming], transforms: Bool = false) -> Int? {
            let image = staged.loadInTurn(request(steps) { $0.transformsAnimations = transforms }).value?.image
            return image?.frameCount == 9 ? image?.width : nil
        }
        let resize: any ImageTransforming = .resize(to: PixelSize(width: 30, height: 30))
        expectEqual(width([Self.crop]), 60)
        expectEqual(width([Self.crop], transforms: true), 4)
        expectEqual(width([resize, Self.crop]), 30)
        expectEqual(width([resize, Self.crop], transforms: true), 4)
        expectEqual(width([Self.crop, resize]), 60)
        let counted = try self.staged(LongGIF.file(side: 60, frames: 9, patch: 8, hasEnd: hasEnd))
        expectEqual(counted.loadInTurn(.numbered(1, transformers: [Self.crop])).value?.image.width, 60)
        expectEqual(counted.coder.decodes, 1)
        let file = staged.dataInTurn(request([Self.crop]), as: .gif)
        expectEqual(file.value?.width, 60)
        let still = staged.loadInTurn(request([Self.crop]) { $0.firstFrameOnly = true })
        expectEqual(still.value?.image.width, 4)
    }

    @Test func `a picture is transformed although its file could be an animation`() throws {
        let staged = try staged(LongGIF.file(side: 60, frames: 1, patch: 8, hasEnd: false))
        expectEqual(staged.loadInTurn(request([Self.crop])).value?.image.width, 4)
    }

    @Test func `what is done with frames is part of the name`() {
        let changes: [(inout ImageRequest) -> Void] = [
            { _ in }, { $0.firstFrameOnly = true }, { $0.allFrames = true }, { $0.transformsAnimations = true },
            { $0.fallsBackToFirstFrame = true },
        ]
        let names = changes.map { request([Self.crop], $0).variantKey }
        expectEqual(Set(names).count, names.count)
        let plain = [changes[0], changes[3]].map { request([], $0).variantKey }
        expectEqual(plain[0], plain[1])
        expectEqual(request([]) { $0.allFrames = true }.fileKey(.original), ImageRequest.numbered(1).originalKey)
    }

    // MARK: - Formats

    @Test func `an animated PNG stays one as PNG, and a GIF becomes its first frame`() throws {
        let apng = try ImageFactory.encodedAnimation(width: 8, height: 8, frames: 3, seed: 1, as: .apng)
        let staged = try staged(apng)
        expectEqual(frameCount(staged, request(), as: .png), 3)
        expectEqual(frameCount(staged, request { $0.firstFrameOnly = true }, as: .png), 1)
        let few = EncodedFormat(.png, options: EncodeOptions(maximumColors: 4))
        expectEqual(frameCount(staged, request(), as: .encoded(few)), 1)
        try expectEqual(
            frameCount(self.staged(LongGIF.file(side: 20, frames: 9, patch: 4)), request(), as: .png), 1)
    }

    // MARK: - Previews

    @Test func `the preview of an animation that arrives grows by frames`() throws {
        let file = LongGIF.file(side: 60, frames: 12, patch: 20)
        let (stream, chunks) = AsyncStream.makeStream(of: [UInt8].self)
        let staged = try StagedManager(seed: 1, hasDisk: false) { request in
            HTTPResponse(status: 200, url: request.url, body: HTTPBody(stream, expectedByteCount: file.count))
        }
        let (counts, held) = (Journal<Int>(), Journal<Int>())
        let request = request {
            $0.previews = PreviewOptions(size: PixelSize(width: 30, height: 30), interval: .zero)
        }
        let caller = staged.start { manager in
            for try await event in manager.events(for: request) {
                guard case .preview(let image) = event else { continue }
                counts.write(image.frameCount)
                held.write(image.byteCount)
            }
        }
        let queue = staged.manager.pipeline.processing.queue
        let length = file.count / 9
        for start in stride(from: 0, to: file.count, by: length) {
            chunks.yield(Array(file[start..<min(start + length, file.count)]))
            staged.run()
            // The newest preview, with the bytes that it is made of.
            expectEqual(queue.byteCount, held.entries.last ?? 0)
        }
        expect(queue.byteCount, >, file.count / 2)
        chunks.finish()
        staged.run()
        expectEqual(queue.byteCount, 0)
        expect(caller.value != nil)
        expect(counts.entries.count, >, 3)
        expectEqual(counts.entries, counts.entries.sorted())
        try expect(required(counts.entries.last), >, 5)
    }
}
