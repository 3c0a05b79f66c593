import Locks
import TestSupport
import Testing
import WebImageTesting

// SPDX-License-Identifier: MIT
@testable import ImageCoding

/// All players of a picture share the frames that are made.
@Suite(.timeLimit(.minutes(1)))
struct FrameBufferTests {
    private let clock = ManualClock()
    private let memory = AnimationMemory()

    private func animation(_ source: CountedFrames) -> DecodedImage {
        DecodedImage(
            PixelSize(width: 1, height: 1), .onDemand([0, 0, 0, 0], FrameBuffer(source, memory: memory)),
            hasAlpha: true)
    }

    private func readers(_ image: DecodedImage, _ count: Int) -> [AnimationPlayer.Iterator] {
        (0..<count).map { _ in AnimationPlayer(image, clock: clock).makeAsyncIterator() }
    }

    @Test func `players in step make each frame once, also of copies of the picture`() async throws {
        let source = CountedFrames(count: 20)
        var image = animation(source)
        var readers = readers(image, 3)
        image.scale = 2
        readers += self.readers(image, 2)
        for frame in 0..<60 {
            for index in readers.indices {
                try await expectEqual(readers[index].next()?.index, frame % 20)
                #expect(image.frameBuffer.map { $0.count <= 4 } == true)
            }
            clock.advance(by: .milliseconds(100))
        }
        // The first frame is always in memory.
        #expect((2...3).contains(source.made.count { $0 == 5 }))
        #expect(source.made.count <= 60)
        readers = []
        while image.frameBuffer?.count != 0 { await Task.yield() }
        expectEqual(memory.byteCount, 0)
    }

    @Test func `a frame that a player has is made for no other caller`() async throws {
        let source = CountedFrames(count: 20)
        let image = animation(source)
        var readers = readers(image, 1)
        _ = try await readers[0].next()
        while source.made.count < 2 { await Task.yield() }
        while image.frameBuffer?.count != 3 { await Task.yield() }
        try expectEqual(image.frame(at: 2).pixels, [2, 2, 2, 2])
        expectEqual(source.made, [1, 2])
        expectEqual(image.byteCount, 4 + 3 * 4)
        try expectEqual(image.frame(at: 9).pixels, [9, 9, 9, 9])
        expectEqual(source.made, [1, 2, 9])
        readers = []
    }

    @Test func `frames of a maker of one's own are seen by its player alone`() async throws {
        let image = animation(CountedFrames(count: 5))
        var plain = readers(image, 1)
        var own = AnimationPlayer(image, clock: clock) { _, index in
            DecodedImage.Frame(pixels: [7, 7, 7, UInt8(index)])
        }.makeAsyncIterator()
        for frame in 0..<4 {
            try await expectEqual(own.next()?.frame.pixels, [7, 7, 7, UInt8(frame)])
            let expected = [UInt8](repeating: UInt8(frame), count: 4)
            try await expectEqual(plain[0].next()?.frame.pixels, expected)
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test func `a reader that leaves takes no frame from another one, and its work ends`() async throws {
        let (gate, source) = (Gate(), CountedFrames(count: 9))
        let image = animation(source)
        let buffer = try #require(image.frameBuffer)
        let (first, second) = (buffer.join(), buffer.join())
        let make: @concurrent @Sendable (Int) async throws -> DecodedImage.Frame = { index in
            await gate.pass()
            try Task.checkCancellation()
            return try image.frame(at: index)
        }
        let shown = Task { try await buffer.frame(at: 3, for: first, following: [], backwards: false, make: make) }
        while gate.arrivals == 0 { await Task.yield() }
        async let same = buffer.frame(at: 3, for: second, following: [4], backwards: false, make: make)
        for _ in 0..<100 { await Task.yield() }
        shown.cancel()
        await expectError(CancellationError.self) { try await shown.value }
        buffer.leave(first)
        gate.open()
        try await expectEqual(same.pixels, [3, 3, 3, 3])
        while source.made != [3, 4] { await Task.yield() }
        expectEqual(gate.arrivals, 2)
        buffer.leave(second)
        expectEqual(buffer.count, 0)
    }

    @Test func `above the limit of the process a player has the frame that it shows`() async throws {
        memory.byteLimit = 0
        let source = CountedFrames(count: 9)
        let image = animation(source)
        var readers = readers(image, 1)
        for frame in 0..<5 {
            try await expectEqual(readers[0].next()?.index, frame)
            for _ in 0..<50 { await Task.yield() }
            expectEqual(source.made, Array(1..<frame + 1))
            expectEqual(memory.byteCount, 4)
            clock.advance(by: .milliseconds(100))
        }
    }

    @Test func `under pressure the frames that are ready are given back`() async throws {
        let image = animation(CountedFrames(count: 9))
        var readers = readers(image, 1)
        _ = try await readers[0].next()
        while memory.byteCount != 12 { await Task.yield() }
        memory.byteLimit = 100
        memory.reduce(by: 20)
        expectEqual(memory.byteCount, 0)
        // Room for a frame beside the one that is shown, as long as the pressure lasts.
        for frame in 1..<4 {
            clock.advance(by: .milliseconds(100))
            try await expectEqual(readers[0].next()?.index, frame)
            #expect(memory.byteCount <= 12)
        }
        memory.reduce(by: 1)
        while memory.byteCount != 12 {
            clock.advance(by: .milliseconds(100))
            _ = try await readers[0].next()
        }
    }

    @Test(arguments: [EncodedFormat.gif(isDithered: false), .losslessWebP, .apng])
    func `views in step hold five frames of a file, and another place two more`(format: EncodedFormat) async throws {
        let size = PixelSize(width: 1_200, height: 900)
        let frames = (0..<40).map { index in
            var pixels = [UInt8](repeating: 255, count: size.bitmapByteCount)
            pixels[index * 400] = 0
            return DecodedImage.Frame(pixels: pixels, duration: .milliseconds(100))
        }
        let bytes = try ImageCoders.default.encode(
            DecodedImage(width: size.width, height: size.height, frames: frames, hasAlpha: false), as: format)
        let image = try ImageCoders.default.decode(bytes, options: DecodeOptions(framesOnDemand: true))
        var readers = readers(image, 3)
        func play(_ count: Int, most: Int) async throws {
            for _ in 0..<count {
                for index in readers.indices {
                    let shown = try #require(try await readers[index].next())
                    expectEqual(shown.frame.pixels[shown.index * 400], 0)
                    #expect(image.byteCount <= bytes.count + most * size.bitmapByteCount)
                }
                clock.advance(by: .milliseconds(100))
            }
        }
        try await play(8, most: 5)
        let elsewhere = AnimationPlayer(image, clock: clock)
        elsewhere.seek(to: 20)
        readers.append(elsewhere.makeAsyncIterator())
        try await play(8, most: 7)
    }
}

/// Frames that say how often they were made.
private final class CountedFrames: FrameSource {
    let durations: [Duration]
    let byteCount = 0
    private let log = Mutex<[Int]>([])

    init(count: Int) { durations = Array(repeating: .milliseconds(100), count: count) }

    var made: [Int] { log.withLock { $0 } }

    func pixels(at index: Int) throws -> [UInt8] {
        log.withLock { $0.append(index) }
        return [UInt8](repeating: UInt8(index), count: 4)
    }
}
