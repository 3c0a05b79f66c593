// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// All players of a picture share the frames that are made.
@Suite(.timeLimit(.minutes(1)))
struct FrameBufferTests {
    private let clock = ManualClock()
    private let memory = AnimationMemory()

    private func animation(_ source: CountedFrames) -> DecodedImage {
        let size = PixelSize(width: source.side, height: source.side)
        return DecodedImage(
            size, .onDemand([UInt8](repeating: 0, count: size.bitmapByteCount), FrameBuffer(source, memory: memory)),
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
                expectEqual(image.frameBuffer.map { $0.count <= 4 }, true)
            }
            clock.advance(by: .milliseconds(100))
        }
        // The first frame is always in memory.
        expect((2...3).contains(source.made.count { $0 == 5 }))
        expect(source.made.count, <=, 60)
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

    @Test func `an error of a maker arrives, also one that looks like a cancellation`() async throws {
        let fails = Mutex(true)
        var own = AnimationPlayer(animation(CountedFrames(count: 5)), clock: clock) { _, index in
            let isFirst = fails.withLock { fails in
                defer { fails = false }
                return fails
            }
            if isFirst { throw CancellationError() }
            return DecodedImage.Frame(pixels: [7, 7, 7, UInt8(index)])
        }.makeAsyncIterator()
        do {
            expectNil(try await own.next()?.index)
        } catch {
            expect(error is CancellationError)
        }
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

    @Test func `frames are made ahead below the limit, and not at it`() {
        memory.byteLimit = 80
        for (divisor, limit) in [(1, 80), (20, 4), (0, 80), (-3, 80)] {
            memory.reduce(by: divisor)
            memory.note(limit - 1)
            expect(memory.hasRoom, "a \(divisor). part")
            memory.note(1)
            expect(!memory.hasRoom, "a \(divisor). part")
            memory.note(-limit)
        }
        expectEqual(AnimationMemory().byteLimit, 128 << 20)
    }

    @Test func `under pressure the frames that are ready are given back`() async throws {
        let image = animation(CountedFrames(count: 9))
        var readers = readers(image, 1)
        _ = try await readers[0].next()
        while memory.byteCount != 12 { await Task.yield() }
        memory.reduce(by: 1)
        expectEqual(memory.byteCount, 12)
        memory.reduce(by: 2)
        expectEqual(memory.byteCount, 0)
        memory.byteLimit = 80
        memory.reduce(by: 20)
        expectEqual(memory.byteCount, 0)
        // Room for the frame that is shown, as long as the pressure lasts.
        for frame in 1..<6 {
            clock.advance(by: .milliseconds(100))
            try await expectEqual(readers[0].next()?.index, frame)
            expect(memory.byteCount, <=, (frame == 1 ? 12 : 4))
        }
        memory.reduce(by: 1)
        while memory.byteCount != 12 {
            clock.advance(by: .milliseconds(100))
            _ = try await readers[0].next()
        }
    }

    @Test(arguments: [EncodedFormat.gif(isDithered: false), .losslessWebP, .apng])
    func `views in step hold five frames of a file, each further place one canvas more, and none when all have left`(
        format: EncodedFormat
    ) async throws {
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
        for (places, place) in [0, 20, 30, 10, 35].enumerated() {
            if places > 0 {
                let elsewhere = AnimationPlayer(image, clock: clock)
                elsewhere.seek(to: place)
                readers.append(elsewhere.makeAsyncIterator())
            }
            // A frame that is on its way to a view at a further place is there, too.
            let most = places == 0 ? 5 : 6 + places
            for _ in 0..<6 {
                for index in readers.indices {
                    let shown = try required(try await readers[index].next())
                    expectEqual(shown.frame.pixels[shown.index * 400], 0)
                    expect(image.byteCount, <=, bytes.count + most * size.bitmapByteCount)
                }
                clock.advance(by: .milliseconds(100))
            }
        }
        readers = []
        while image.byteCount > bytes.count + 2 * size.bitmapByteCount, !Task.isCancelled { await Task.yield() }
        expectEqual(image.byteCount, bytes.count + 2 * size.bitmapByteCount)
    }

    @Test func `readers in step at a further place make each frame once`() async throws {
        let source = CountedFrames(count: 40, side: 1_500)
        let image = animation(source)
        let elsewhere = AnimationPlayer(image, clock: clock)
        elsewhere.seek(to: 20)
        var readers = readers(image, 1) + (0..<2).map { _ in elsewhere.makeAsyncIterator() }
        for frame in 0..<6 {
            for index in readers.indices {
                let expected = index == 0 ? frame : 20 + frame
                try await expectEqual(readers[index].next()?.index, expected)
            }
            clock.advance(by: .milliseconds(100))
        }
        for frame in 21..<26 { expectEqual(source.made.count { $0 == frame }, 1, "frame \(frame)") }
    }

    @Test func `a buffer lets go of its frames and of its source's memory when the last reader leaves`() async throws {
        let source = CountedFrames(count: 20)
        var image: DecodedImage? = animation(source)
        weak let buffer = image?.frameBuffer
        var readers = readers(try required(image), 2)
        var own: AnimationPlayer.Iterator? = try AnimationPlayer(required(image), clock: clock) { image, index in
            try image.frame(at: index)
        }.makeAsyncIterator()
        for index in readers.indices { _ = try await readers[index].next() }
        _ = try await own?.next()
        while memory.byteCount != 12 { await Task.yield() }
        own = nil
        readers.removeLast()
        expectAll(source.releases == 0, buffer?.count == 3)
        readers = []
        while source.releases == 0 { await Task.yield() }
        expectAll(buffer?.count == 0, memory.byteCount == 0)
        expectEqual(memory.bufferCount, 1)
        image = nil
        while buffer != nil { await Task.yield() }
        while memory.bufferCount != 0 { await Task.yield() }
    }

    @Test func `a derived animation that is left takes nothing from the readers of the original`() async throws {
        let source = CountedFrames(count: 20)
        let image = animation(source)
        let mapped = try image.mapFrames { $0.map { $0 + 1 } }
        var (original, derived) = (readers(image, 1), readers(mapped, 1))
        for index in 0..<2 {
            try await expectEqual(original[0].next()?.index, index)
            try await expectEqual(derived[0].next()?.frame.pixels[0], UInt8(index) + 1)
            clock.advance(by: .milliseconds(100))
        }
        while image.frameBuffer?.count != 3 { await Task.yield() }
        derived = []
        expectAll(image.frameBuffer?.count == 3, source.releases == 0)
        original = []
        while source.releases == 0 { await Task.yield() }
        // Without readers of its own, the original has nothing to keep.
        let releases = source.releases
        derived = readers(mapped, 1)
        _ = try await derived[0].next()
        derived = []
        while source.releases == releases { await Task.yield() }
    }
}

/// Frames that say how often they were made.
final class CountedFrames: FrameSource {
    let durations: [Duration]
    let byteCount = 0
    let side: Int
    private let log = Mutex<(made: [Int], releases: Int)>(([], 0))

    init(count: Int, side: Int = 1) {
        durations = Array(repeating: .milliseconds(100), count: count)
        self.side = side
    }

    var made: [Int] { log.withLock { $0.made } }
    var releases: Int { log.withLock { $0.releases } }

    func pixels(at index: Int) throws -> [UInt8] {
        log.withLock { $0.made.append(index) }
        return [UInt8](repeating: UInt8(index), count: side * side * 4)
    }

    func releaseMemory() { log.withLock { $0.releases += 1 } }
}
