// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

@Suite(.timeLimit(.minutes(1)))
struct AnimationPlayerTests {
    private let clock = ManualClock()

    /// An animation whose frames of 100 ms are made of their index, on demand.
    private func animation(frames: Int, loops: Int = 0, _ source: Source? = nil) throws -> DecodedImage {
        try DecodedImage(
            width: 1, height: 1, firstFrame: [0, 0, 0, 0], source: source ?? Source(frameCount: frames),
            loopCount: loops, hasAlpha: true)
    }

    private func player(
        _ image: DecodedImage, isComplete: Bool = true,
        _ change: (inout AnimationPlayer.Configuration) -> Void = { _ in }
    ) -> AnimationPlayer {
        var configuration = AnimationPlayer.Configuration()
        change(&configuration)
        return AnimationPlayer(image, isComplete: isComplete, configuration: configuration, clock: clock)
    }

    /// Moves the clock as soon as a reader sleeps.
    private func pass(_ milliseconds: Int) async {
        while clock.sleepers == 0 { await Task.yield() }
        clock.advance(by: .milliseconds(milliseconds))
    }

    @Test func `frames come when they are due, in each loop, and the sequence ends with the last`() async throws {
        let player = player(try animation(frames: 3, loops: 2))
        async let shown = Reader().read(player)
        for _ in 0..<5 { await pass(100) }
        try await expectEqual(shown, [[0, 0], [1, 0], [2, 0], [0, 1], [1, 1], [2, 1]])
        // The pixels are those of the frame.
        var frames = self.player(try animation(frames: 3)) { $0.order = .reverse }.makeAsyncIterator()
        try await expectEqual(frames.next()?.frame.pixels, [2, 2, 2, 2])
    }

    @Test func `a wait for a frame leaves nothing behind`() async throws {
        let player = player(try animation(frames: 3))
        let (reader, count) = (Reader(), 100)
        async let shown = reader.read(player, count: count)
        for frame in 1..<count {
            await pass(100)
            await reader.wait(for: frame + 1)
            expect(player.state.withLock { $0.sleepers.count }, <=, 1)
        }
        try await expectEqual(shown.count, count)
        expect(player.state.withLock { $0.sleepers.isEmpty })
    }

    @Test func `a late reader gets the frame for its time`() async throws {
        let player = player(try animation(frames: 10, loops: 1))
        async let shown = Reader().read(player)
        await pass(730)
        await pass(200)
        try await expectEqual(shown, [[0, 0], [7, 0], [9, 0]])
    }

    @Test func `a few frames are made ahead, and no more are kept`() async throws {
        let source = Source(frameCount: 50)
        let player = player(try animation(frames: 50, source)) { $0.bufferedFrameCount = 3 }
        var frames = player.makeAsyncIterator()
        _ = try await frames.next()
        while source.made != [1, 2, 3] { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        expectEqual(source.made, [1, 2, 3])
        clock.advance(by: .milliseconds(100))
        _ = try await frames.next()
        while source.made != [1, 2, 3, 4] { await Task.yield() }
        expectEqual(player.place.frame, 1)
        // A frame that was left behind is made again.
        for frame in [20, 1] {
            player.seek(to: frame)
            _ = try await frames.next()
            expectEqual(player.place.frame, frame)
        }
        expectEqual(source.made.count { $0 == 1 }, 2)
    }

    @Test func `backwards, frames are made in the order of the file, a buffer at a time`() async throws {
        let source = Source(frameCount: 9)
        let player = player(try animation(frames: 9, source)) {
            $0.order = .reverse
            $0.bufferedFrameCount = 2
            $0.loopCount = 1
        }
        async let shown = Reader().read(player)
        for _ in 0..<8 { await pass(100) }
        try await expectEqual(shown.map { $0[0] }, (0..<9).reversed())
        // The first frame is always in memory.
        expectEqual(source.made, [6, 7, 8, 3, 4, 5, 1, 2])
    }

    @Test func `a pause holds the reader, a jump shows its frame at once, and the rate counts`() async throws {
        let player = player(try animation(frames: 10))
        let reader = Reader()
        async let shown = reader.read(player, count: 5)
        await pass(100)
        await reader.wait(for: 2)
        player.pause()
        while clock.sleepers > 0 { await Task.yield() }
        clock.advance(by: .seconds(5))
        player.seek(to: 7)
        await reader.wait(for: 3)
        expectEqual(player.place.frame, 7)
        player.rate = 4
        player.resume()
        await pass(25)
        await reader.wait(for: 4)
        player.order = .reverse
        await pass(25)
        try await expectEqual(shown.map { $0[0] }, [0, 1, 7, 8, 7])
        expectEqual(player.rate, 4)
    }

    @Test func `a player that is paused before its first frame begins when it goes on`() async throws {
        let player = player(try animation(frames: 3, loops: 1))
        player.pause()
        clock.advance(by: .seconds(1))
        player.resume()
        clock.advance(by: .seconds(1))
        var frames = player.makeAsyncIterator()
        try await expectEqual(frames.next()?.index, 0)
        // A player that is paused shows its frame, and its time stands still.
        player.pause()
        player.seek(to: 1)
        try await expectEqual(frames.next()?.index, 1)
        clock.advance(by: .seconds(1))
        expectEqual(player.place.frame, 1)
    }

    @Test func `a reader that waits hears of another rate`() async throws {
        let player = player(try animation(frames: 3))
        let reader = Reader()
        async let shown = reader.read(player, count: 2)
        await reader.wait(for: 1)
        while clock.sleepers == 0 { await Task.yield() }
        player.rate = 4
        clock.advance(by: .milliseconds(25))
        try await expectEqual(shown, [[0, 0], [1, 0]])
    }

    @Test func `an animation that still arrives waits after its last frame, and plays on`() async throws {
        let player = player(try animation(frames: 2), isComplete: false)
        let reader = Reader()
        async let shown = reader.read(player)
        await pass(100)
        await reader.wait(for: 2)
        for _ in 0..<50 { await Task.yield() }
        expectEqual(clock.sleepers, 0)
        clock.advance(by: .seconds(10))
        player.update(try animation(frames: 1), isComplete: true)  // Fewer frames: ignored.
        player.update(ImageFactory.animation(width: 2, height: 1, frames: 9, seed: 1), isComplete: true)  // So is this.
        expectEqual(player.place.frame, 1)
        player.update(try animation(frames: 4, loops: 1), isComplete: false)
        await reader.wait(for: 3)
        await pass(100)
        await reader.wait(for: 4)
        player.update(try animation(frames: 4, loops: 1), isComplete: true)
        try await expectEqual(shown.map { $0[0] }, [0, 1, 2, 3])
    }

    @Test func `a frame that cannot be made is an error, also the second time`() async throws {
        let player = player(try animation(frames: 3, Source(frameCount: 3, broken: 1)))
        var frames = player.makeAsyncIterator()
        _ = try await frames.next()
        clock.advance(by: .milliseconds(100))
        for _ in 0..<2 {
            await expectError(ImageError.self) { try await frames.next() }
        }
        clock.advance(by: .milliseconds(100))
        try await expectEqual(frames.next()?.index, 2)
    }

    @Test(arguments: [false, true]) func `a cancelled reader leaves at once`(isMaking: Bool) async throws {
        let gate = Gate()
        let image = try animation(frames: 3)
        let player = AnimationPlayer(image, clock: clock) { image, index in
            if isMaking { await gate.pass() }
            return try image.frame(at: index)
        }
        let reader = Task { try await Reader().read(player) }
        while gate.arrivals == 0, clock.sleepers == 0 { await Task.yield() }
        reader.cancel()
        await expectError(CancellationError.self) { try await reader.value }
        gate.open()
        while clock.sleepers > 0 { await Task.yield() }
    }

    @Test(arguments: [EncodedFormat.losslessWebP, .gif(isDithered: false)])
    func `a file plays as far as it has arrived`(format: EncodedFormat) async throws {
        let bytes = try ImageFactory.encodedAnimation(width: 20, height: 16, frames: 4, seed: 2, as: format)
        let whole = try ImageCoders.default.decode(bytes)
        let options = DecodeOptions(framesOnDemand: true, failOn: .never)
        let part = try ImageCoders.default.decode(Array(bytes.prefix(bytes.count * 3 / 4)), options: options)
        expect((2..<4).contains(part.frameCount))
        let player = player(part, isComplete: false) { $0.loopCount = 1 }
        let reader = Reader()
        async let shown = reader.read(player)
        await pass(10_000)
        await reader.wait(for: 2)
        player.update(try ImageCoders.default.decode(bytes, options: options), isComplete: true)
        await pass(10_000)
        try await expectEqual(shown.map { $0[0] }, [0, part.frameCount - 1, part.frameCount, 3].uniqued)
        try expectEqual(whole.frame(at: 3).pixels, reader.last)
    }
}

/// Frames that say how often they were made.
private final class Source: FrameSource {
    let durations: [Duration]
    let byteCount = 0
    private let broken: Int?
    private let log = Mutex<[Int]>([])

    init(frameCount: Int, broken: Int? = nil) {
        durations = Array(repeating: .milliseconds(100), count: frameCount)
        self.broken = broken
    }

    var made: [Int] { log.withLock { $0 } }

    func pixels(at index: Int) throws -> [UInt8] {
        log.withLock { $0.append(index) }
        if index == broken { throw ImageError(code: .malformed, message: "broken") }
        return [UInt8](repeating: UInt8(index), count: 4)
    }
}

/// Remembers what it reads.
private final class Reader: Sendable {
    private let shown = Mutex<[PlayedFrame]>([])

    var last: [UInt8]? { shown.withLock { $0.last?.frame.pixels } }

    /// - Returns: The index and the loop of each frame.
    func read(_ player: AnimationPlayer, count: Int = .max) async throws -> [[Int]] {
        for try await frame in player {
            let number = shown.withLock { shown in
                shown.append(frame)
                return shown.count
            }
            if number == count { break }
        }
        return shown.withLock { $0.map { [$0.index, $0.loop] } }
    }

    func wait(for count: Int) async {
        while shown.withLock({ $0.count }) < count { await Task.yield() }
    }
}

extension [Int] {
    /// Without repetitions that follow each other.
    fileprivate var uniqued: [Int] { reduce(into: []) { if $0.last != $1 { $0.append($1) } } }
}
