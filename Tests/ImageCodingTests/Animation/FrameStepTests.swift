// SPDX-License-Identifier: MIT
import Synchronization
import TestSupport
import Testing

@testable import ImageCoding

/// How often the calls of a resampler were counted: a C function captures nothing.
private let calls = Atomic<Int>(0)
/// The call at which it is stopped.
private let last = Atomic<Int>(0)

/// The work on one frame is divided into steps, between which a cancelled one ends.
@Suite(.serialized) struct FrameStepTests {
    private let size = PixelSize(width: 1_500, height: 1_500)

    @Test(arguments: [
        // Four parts of a row that depends on all rows.
        (PixelSize(width: 1_000, height: 1_000), PixelSize(width: 1, height: 1), false, 4),
        (PixelSize(width: 1_000, height: 1_000), PixelSize(width: 500, height: 500), false, 500),
        // Rows of the source, and those of the result.
        (PixelSize(width: 300, height: 300), PixelSize(width: 1, height: 1), true, 301),
        (PixelSize(width: 300, height: 300), PixelSize(width: 150, height: 150), true, 450),
    ])
    func `a resample may stop between rows, and within one that depends on many`(
        source: PixelSize, target: PixelSize, inLinearLight: Bool, expected: Int
    ) throws {
        let resampler = Resampler(
            source: source, window: .whole(source), target: target, inLinearLight: inLinearLight)
        let pixels = [UInt8](repeating: 255, count: source.bitmapByteCount)
        calls.store(0, ordering: .relaxed)
        last.store(.max, ordering: .relaxed)
        let shouldStop: @convention(c) () -> Int32 = {
            let count = calls.add(1, ordering: .relaxed).newValue
            return count >= last.load(ordering: .relaxed) ? 1 : 0
        }
        try expectEqual(resampler.resample(pixels, shouldStop: shouldStop).count, target.bitmapByteCount)
        expectEqual(calls.load(ordering: .relaxed), expected)
        for place in [1, expected / 2, expected] {
            calls.store(0, ordering: .relaxed)
            last.store(place, ordering: .relaxed)
            expectError(CancellationError.self) { try resampler.resample(pixels, shouldStop: shouldStop) }
            expectEqual(calls.load(ordering: .relaxed), place)
        }
    }

    /// Where the pixels are.
    private func place(_ pixels: [UInt8]) -> Int {
        unsafe pixels.withUnsafeBufferPointer { Int(bitPattern: $0.baseAddress) }
    }

    @Test(arguments: [FrameCanvas.Disposal.keep, .clear, .restore], [true, false])
    func `pixels that a caller has are copied four megabytes at a time, before anything is drawn`(
        disposal: FrameCanvas.Disposal, isWhole: Bool
    ) throws {
        let work = DecodingWork(limits: .default, byteCount: 0)
        let whole = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        let rect = isWhole ? whole : PixelRect(x: 0, y: 0, width: 10, height: 10)
        var canvas = FrameCanvas(size: size)
        try canvas.begin(rect, disposal, work)
        for _ in 0..<3 {
            let shown = canvas.pixels
            canvas.isShared = true
            let before = work.lookCount
            try canvas.begin(rect, disposal, work)
            expect(work.lookCount - before, >=, 4)
            let copy = place(canvas.pixels)
            expect(copy != place(shown))
            canvas.pixels[3] = 1
            expectEqual(place(canvas.pixels), copy)
        }
        // A canvas whose pixels no caller holds is not copied.
        if disposal != .restore || !isWhole {
            let own = place(canvas.pixels)
            try canvas.begin(rect, disposal, work)
            expectEqual(place(canvas.pixels), own)
        }
    }

    @Test func `frames of a file are drawn on copies that may end at each piece`() throws {
        let whole = PixelRect(x: 0, y: 0, width: size.width, height: size.height)
        let found = FoundFrames(
            durations: Array(repeating: .milliseconds(100), count: 9), loopCount: 0, mayBecomeClear: false,
            damage: [], size: size,
            covers: Array(repeating: FrameCover(isWhole: true, isOpaque: false, disposal: .keep), count: 9))
        let options = DecodeOptions(framesOnDemand: true)
        let source = ComposedFrames(found, 0..<9, FramePlan(size, options), options, fileByteCount: 0) {
            canvas, index, work in
            try canvas.begin(whole, .keep, work)
            canvas.pixels[index * 4] = 7
            return []
        }
        var kept = [try source.pixels(at: 0)]
        // Also when one of two places stays behind.
        for index in [1, 7, 2] {
            let work = DecodingWork(limits: .default, byteCount: 0)
            kept.append(try source.draw(index, work).pixels)
            expect(work.lookCount, >=, 4, "frame \(index)")
        }
        for looks in 1...4 {
            var left = looks
            let work = DecodingWork(
                limits: .default, byteCount: 0,
                isCancelled: {
                    left -= 1
                    return left == 0
                })
            expectError(CancellationError.self) { try source.draw(3, work) }
            _ = try source.pixels(at: 2)
        }
        withExtendedLifetime(kept) {}
    }
}
