// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing

@testable import ImageCoding

/// The frames of a file have one owner, whose canvases serve all that ask for frames.
@Suite struct ComposedFramesTests {
    private static let part = FrameCover(isWhole: false, isOpaque: true, disposal: .keep)
    private static let size = PixelSize(width: 10, height: 10)

    /// The indexes of the frames that were drawn.
    private final class Log: Sendable {
        private let drawn = Mutex<[Int]>([])

        func note(_ index: Int) { drawn.withLock { $0.append(index) } }
        func take() -> [Int] {
            drawn.withLock { drawn in
                defer { drawn = [] }
                return drawn
            }
        }
    }

    private static func found(_ frames: Int, _ keyframes: [Int]) -> FoundFrames {
        let covers = (0..<frames).map {
            keyframes.contains($0) ? FrameCover(isWhole: true, isOpaque: true, disposal: .keep) : Self.part
        }
        return FoundFrames(
            durations: Array(repeating: .milliseconds(100), count: frames), loopCount: 0, mayBecomeClear: false,
            damage: [], size: Self.size, covers: covers)
    }

    /// Frames whose pixels are their index.
    private func source(
        frames: Int, keyframes: [Int] = [], damaged: Int? = nil, failOn: DamagePolicy = .truncated,
        memory: AnimationMemory = AnimationMemory(), _ body: @escaping @Sendable (Int) throws -> Void = { _ in }
    ) -> (frames: ComposedFrames, log: Log) {
        let (log, size) = (Log(), Self.size)
        let found = Self.found(frames, keyframes)
        let options = DecodeOptions(framesOnDemand: true, failOn: failOn)
        let source = ComposedFrames(
            found, 0..<frames, FramePlan(size, options), options, fileByteCount: 1_000, memory: memory
        ) { canvas, index, _ in
            log.note(index)
            try body(index)
            canvas.pixels = [UInt8](repeating: UInt8(index), count: size.bitmapByteCount)
            return index == damaged ? .missingPixels : []
        }
        return (source, log)
    }

    /// The frames that are drawn for one that is asked for.
    private func drawn(_ index: Int, of source: (frames: ComposedFrames, log: Log)) throws -> [Int] {
        try expectEqual(source.frames.pixels(at: index)[0], UInt8(index))
        return source.log.take()
    }

    @Test func `frames in step are drawn once, and a late reader costs no canvas`() throws {
        let source = source(frames: 50)
        for index in 0..<9 {
            try expectEqual(drawn(index, of: source), [index])
            for _ in 0..<3 { try expectEqual(drawn(index, of: source), []) }
        }
        try expectEqual(drawn(11, of: source), [9, 10, 11])
        expectEqual(source.frames.byteCount, 1_000 + Self.size.bitmapByteCount)
    }

    @Test func `each place has a canvas of its own, and the one that was not used the longest goes`() throws {
        let source = source(frames: 200)
        try expectEqual(drawn(20, of: source), Array(0...20))
        try expectEqual(drawn(5, of: source), Array(0...5))
        // Nearer than the first frame is the canvas of another place, which stays.
        try expectEqual(drawn(50, of: source), Array(21...50))
        for step in 1..<30 {
            for place in [5, 20, 50] { try expectEqual(drawn(place + step, of: source), [place + step]) }
            expectEqual(source.frames.byteCount, 1_000 + 3 * Self.size.bitmapByteCount)
        }
        for place in stride(from: 199, to: 0, by: -10) {
            _ = try drawn(place, of: source)
            expect(source.frames.byteCount, <=, 1_000 + 8 * Self.size.bitmapByteCount)
        }
        // Places that were left give their canvas back.
        for index in 10..<40 { _ = try drawn(index, of: source) }
        expectEqual(source.frames.byteCount, 1_000 + Self.size.bitmapByteCount)
        _ = try drawn(3, of: source)
        FrameBuffer(source.frames, memory: AnimationMemory()).releaseMemory()
        expectEqual(source.frames.byteCount, 1_000 + Self.size.bitmapByteCount)
        try expectEqual(drawn(4, of: source), [4])
    }

    @Test func `the canvases beyond the first count for the process, also the one that is drawn on`() throws {
        let (memory, canvas) = (AnimationMemory(), Self.size.bitmapByteCount)
        let counts = Mutex<[Int]>([])
        var source: ComposedFrames? = self.source(frames: 200, memory: memory) { index in
            if index == 50 { counts.withLock { $0.append(memory.byteCount) } }
            if index == 90 { throw ImageError(code: .malformed, message: "broken") }
        }.frames
        for (place, others) in [(20, 0), (5, 1), (50, 2)] {
            _ = try source?.pixels(at: place)
            expectEqual(memory.byteCount, others * canvas)
        }
        expectEqual(counts.withLock { $0 }, [2 * canvas])
        expectImageError { try source?.pixels(at: 90) }
        expectEqual(memory.byteCount, 2 * canvas)
        source?.releaseMemory()
        expectEqual(memory.byteCount, 0)
        _ = try source?.pixels(at: 5)
        expectEqual(memory.byteCount, canvas)
        source = nil
        expectEqual(memory.byteCount, 0)
    }

    @Test func `a frame is drawn from the keyframe before it`() throws {
        let source = source(frames: 90, keyframes: [30, 60])
        try expectEqual(drawn(62, of: source), [60, 61, 62])
        try expectEqual(drawn(30, of: source), [30])
        try expectEqual(drawn(29, of: source), Array(0...29))
        try expectEqual(drawn(70, of: source), Array(63...70))
    }

    @Test func `a frame may show what is below a damaged keyframe, with which the animation ends`() throws {
        let source = source(frames: 90, keyframes: [30], damaged: 32, failOn: .never)
        try expectEqual(drawn(31, of: source), Array(0...31))
        expectImageError(.malformed) { try source.frames.pixels(at: 40) }
        expectEqual(source.log.take(), [32])
        expectImageError(.malformed) { try source.frames.pixels(at: 33) }
        expectEqual(source.log.take(), [])
        try expectEqual(drawn(32, of: source), [32])
    }

    @Test func `a run of held frames is drawn from a keyframe, unless that may be damaged`() throws {
        for (failOn, first) in [(DamagePolicy.truncated, 3), (.never, 0)] {
            let log = Log()
            let options = DecodeOptions(frames: .run(4..<6), failOn: failOn)
            let work = DecodingWork(limits: options.limits, byteCount: 0)
            let image = try Self.found(9, [3]).composed(FramePlan(Self.size, options), options, file: [], work) {
                _, index, _ in
                log.note(index)
                return []
            }
            expectEqual(image.frameCount, 2)
            expectEqual(log.take(), Array(first..<6))
        }
    }

    @Test func `a keyframe hides the canvas for good, or follows an empty one`() {
        func cover(_ isWhole: Bool, _ isOpaque: Bool, _ disposal: FrameCanvas.Disposal) -> FrameCover {
            FrameCover(isWhole: isWhole, isOpaque: isOpaque, disposal: disposal)
        }
        let part = cover(false, true, .keep)
        let keyframes = FrameCover.keyframes(
            [
                part, cover(true, true, .keep), part, cover(true, true, .restore), cover(true, false, .keep),
                cover(true, false, .clear), part, cover(false, true, .clear), part, cover(true, true, .clear), part,
            ], isSafe: true)
        expectEqual(keyframes, [0, 1, 1, 1, 1, 1, 6, 6, 6, 9, 10])
        expectEqual(FrameCover.keyframes([], isSafe: true), [])
    }

    @Test func `the pixels below a frame are held until the next one is drawn`() throws {
        var canvas = FrameCanvas(size: Self.size)
        let (part, work) = (PixelRect(x: 1, y: 1, width: 3, height: 2), DecodingWork(limits: .default, byteCount: 1))
        let whole = Self.size.bitmapByteCount
        for (disposal, held) in [
            (.keep, 0), (.restore, 24), (.keep, 0), (.restore, 24), (.clear, 0), (.keep, 0),
        ] as [(FrameCanvas.Disposal, Int)] {
            try canvas.begin(part, disposal, work)
            expectEqual(canvas.byteCount, whole + held)
        }
    }

    @Test func `a call that waits for the frame of another one leaves when it is cancelled`() async throws {
        let source = Mutex<ComposedFrames?>(nil)
        let made = self.source(frames: 5) { index in
            guard index == 2 else { return }
            // The frame is being made.
            let frames = source.withLock { source in
                defer { source = nil }
                return source
            }
            expectError(CancellationError.self) { try frames?.pixels(at: 2) }
            expectError(CancellationError.self) { try frames?.pixels(at: 3) }
        }
        source.withLock { $0 = made.frames }
        try await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            try expectEqual(made.frames.pixels(at: 2)[0], 2)
        }.value
    }

    @Test func `a frame whose drawing was cancelled is drawn for the next call`() async throws {
        let isFirst = Mutex(true)
        let source = source(frames: 5) { index in
            if index == 2, isFirst.withLock({ $0 }) { throw CancellationError() }
        }
        try await Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            expectError(CancellationError.self) { try source.frames.pixels(at: 2) }
            isFirst.withLock { $0 = false }
            try expectEqual(source.frames.pixels(at: 2)[0], 2)
        }.value
    }

    @Test func `a frame that fails leaves the next one as it is`() throws {
        let source = source(frames: 9, keyframes: [4]) { index in
            if index == 2 { throw ImageError(code: .malformed, message: "broken") }
        }
        for _ in 0..<2 {
            _ = try drawn(1, of: source)
            expectImageError { try drawn(3, of: source) }
            _ = source.log.take()
            try expectEqual(drawn(5, of: source).last ?? 5, 5)
        }
    }
}
