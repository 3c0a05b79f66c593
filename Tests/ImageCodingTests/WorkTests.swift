// SPDX-License-Identifier: MIT
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Every loop with a length that depends on the file checks whether it may continue, and ends when it may not.
@Suite("Work")
struct WorkTests {
    private static let files: [(name: String, bytes: @Sendable () throws -> [UInt8], looks: Int)] = [
        ("a large JPEG", { try ImageFactory.encoded(width: 900, height: 900, seed: 1) }, 500),
        ("a progressive JPEG", { ImageFactory.scanBombJPEG(side: 800, scans: 20) }, 2_800),
        ("a JPEG of many markers", { ImageFactory.markerBombJPEG(segments: 300_000) }, 26),
        ("a JPEG of many stray bytes", { JPEGStray.bytes }, 24),
        ("a large PNG", { ImageFactory.oversizedPNG(1_000) }, 18),
        ("a PNG of many chunks", { ImageFactory.chunkBombPNG(chunks: 100_000) }, 45),
        ("a PNG that goes on", { ImageFactory.endlessPNG(byteCount: 400_000) }, 16),
        ("a large GIF", { ImageFactory.fullFrameGIF(frames: 5, side: 600) }, 46),
        ("a GIF of a long comment", { ImageFactory.commentBombGIF(byteCount: 400_000) }, 397),
        ("a GIF of codes without pixels", { ImageFactory.clearCodeGIF(byteCount: 100_000) }, 100),
        ("a large lossy WebP", { try ImageFactory.encoded(width: 600, height: 600, seed: 1, as: .webp()) }, 4),
        ("a WebP of one colour", { ImageFactory.plainWebP(side: 1_500) }, 13),
        ("a WebP of many chunks", { ImageFactory.chunkBombWebP(chunks: 100_000) }, 26),
        ("a WebP of many frames", { ImageFactory.canvasBombWebP(frames: 50, canvas: 100) }, 245),
        ("a WebP of many groups of codes", { ImageFactory.codeGroupBombWebP(groups: 4_096) }, 4),
    ]

    private static func decode(_ bytes: [UInt8], _ work: DecodingWork, _ options: DecodeOptions = .init()) throws {
        switch ImageFormat(sniffing: bytes) {
        case .jpeg: _ = try JPEGCoder().decode(bytes, options, work)
        case .png: _ = try PNGCoder().decode(bytes, options, work)
        case .gif: _ = try GIFCoder().decode(bytes, options, work)
        default: _ = try WebPCoder().decode(bytes, options, work)
        }
    }

    @Test(arguments: files.map(\.name))
    func `the work is checked often, and may end at any check`(name: String) throws {
        let file = try required(WorkTests.files.first { $0.name == name })
        let bytes = try file.bytes()
        let whole = DecodingWork(limits: .default, byteCount: bytes.count)
        try? WorkTests.decode(bytes, whole)
        expect(whole.lookCount, >=, file.looks)
        for end in Set([1, 2, whole.lookCount / 2, whole.lookCount])
        where (1...whole.lookCount).contains(end) {
            var looks = 0
            let work = DecodingWork(limits: .default, byteCount: bytes.count) {
                looks += 1
                return looks >= end
            }
            expectError(CancellationError.self, "look \(end)") { try WorkTests.decode(bytes, work) }
            expectEqual(looks, end)
        }
    }

    @Test func `a pass over a header checks every 64 KiB`() throws {
        func looks(_ bytes: [UInt8], _ walk: (DecodingWork) throws -> Void) rethrows -> Int {
            let work = DecodingWork(limits: .default, byteCount: bytes.count)
            try walk(work)
            return work.lookCount
        }
        let jpeg = ImageFactory.markerBombJPEG(segments: 200_000)
        expect(try looks(jpeg) { _ = try JPEGHeader(jpeg, DecodeOptions(), $0) }, >=, 12)
        let stray = JPEGStray.bytes
        expect(try looks(stray) { _ = try JPEGHeader(stray, DecodeOptions(), $0) }, >=, 15)
        let png = ImageFactory.chunkBombPNG(chunks: 70_000)
        expect(try looks(png) { _ = try PNGHeader(png, DecodeOptions(), $0) }, >=, 12)
        let gif = ImageFactory.commentBombGIF(byteCount: 800_000)
        expect(try looks(gif) { _ = try GIFOutline(gif, frameLimit: .max, work: $0) }, >=, 12)
        let webp = ImageFactory.chunkBombWebP(chunks: 100_000)
        expect(try looks(webp) { _ = try WebPOutline(webp, DecodeOptions(), $0) }, >=, 12)
    }

    @Test(arguments: [EncodedFormat.jpeg(), .png, .gif, .webp(), .losslessWebP])
    func `no pixel is drawn where none is allowed`(format: EncodedFormat) throws {
        let bytes = try ImageFactory.encoded(width: 300, height: 300, seed: 1, as: format)
        let work = DecodingWork(limits: .default, byteCount: bytes.count)
        try WorkTests.decode(bytes, work)
        expect(work.drawnPixelCount, >=, 65_536)
        let limits = ImageLimits(maximumDrawnPixelCount: 65_535)
        expectImageError(.workLimitExceeded) {
            try ImageCoders.default.decode(bytes, options: DecodeOptions(limits: limits))
        }
    }

    @Test func `processor time ends the work, a longer file has more of it, and excluded work takes none`() throws {
        // A clock that goes on by ten milliseconds whenever it is read; it is read at the start and at every 32nd look.
        func looks(_ time: Duration, byteCount: Int = 0) -> Int {
            var now = 5
            let work = DecodingWork(
                limits: ImageLimits(maximumProcessorTime: time), byteCount: byteCount, isCancelled: { false },
                processorTime: {
                    defer { now += 10_000_000 }
                    return now
                })
            var looks = 0
            while looks < 1_000, work.mayGoOn() { looks += 1 }
            return looks
        }
        expectEqual(looks(.zero), 31)
        expectEqual(looks(.seconds(Int64.min)), 31)
        expectEqual(looks(.milliseconds(20)), 95)
        expectEqual(looks(.zero, byteCount: 80_000), 95)
        expectEqual(looks(.milliseconds(20), byteCount: 80_000), 159)
        expectEqual(looks(.seconds(Int64.max)), 1_000)
        expectEqual(looks(.zero, byteCount: .max), 1_000)
        var now = 0
        let work = DecodingWork(
            limits: ImageLimits(maximumPixelCount: 9, maximumProcessorTime: .seconds(1)), byteCount: 0,
            isCancelled: { false }, processorTime: { now })
        // The clock runs from the eighth look on.
        for _ in 0..<8 { try work.look() }
        work.excluding(pixels: 9) { now += 5_000_000_000 }
        for _ in 0..<64 { try work.look() }
        // A picture that may not be held whole is resized within the time.
        work.excluding(pixels: 10) { now += 1_000_000_001 }
        expectImageError { for _ in 0..<64 { try work.look() } }
        // Behind a step that may have taken long the clock is read at once.
        let slow = DecodingWork(
            limits: ImageLimits(maximumProcessorTime: .seconds(1)), byteCount: 0, isCancelled: { false },
            processorTime: { now })
        try slow.look(isLongStep: true)
        now += 1_000_000_001
        try slow.look()
        expectImageError { try slow.look(isLongStep: true) }
    }
}

/// A JPEG with a megabyte of bytes between its first two markers.
private enum JPEGStray {
    static let bytes: [UInt8] = {
        let file = ImageFactory.scanBombJPEG(side: 1, scans: 1)
        return file[..<2] + [0xFF, 0xFE, 0, 2] + [UInt8](repeating: 0, count: 1 << 20) + file[2...]
    }()
}
