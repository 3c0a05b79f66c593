// SPDX-License-Identifier: MIT
import Locks
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// From a file to a file, at most three frames of an animation exist at a time.
@Suite struct FramesHeldTests {
    private static let formats: [EncodedFormat] = [.gif(isDithered: false), .losslessWebP, .apng]
    private static let size = PixelSize(width: 40, height: 30)

    private func file(_ format: EncodedFormat, frames: Int = 6) throws -> [UInt8] {
        try ImageFactory.encodedAnimation(
            width: Self.size.width, height: Self.size.height, frames: frames, seed: 8, as: format)
    }

    @Test(arguments: formats, formats)
    func `frames flow through transformers into a file, three at a time`(
        from: EncodedFormat, to: EncodedFormat
    ) throws {
        let bytes = try file(from)
        let flip: any ImageTransforming = .flip(.horizontal)
        let corners: any ImageTransforming = .round(radius: 5)
        let chains: [[any ImageTransforming]] = [
            [], [flip], [flip, .pad(by: 3)], [.rotate(degrees: 90), .blur(sigma: 1), corners],
            [.crop(to: PixelRect(x: 1, y: 1, width: 30, height: 20)), .resize(to: PixelSize(width: 60, height: 60))],
            [.smartCrop(to: PixelSize(width: 20, height: 20)), .trim()],
        ]
        for chain in chains {
            let living = LivingFrames()
            let noted = chain.reduce([living.noting]) { $0 + [$1, living.noting] }
            let file = try ImageCoders.default.transcode(bytes, as: to, transformers: noted)
            try expectEqual(file, ImageCoders.default.transcode(bytes, as: to, transformers: chain))
            expectEqual(try ImageCoders.default.properties(of: file).frameCount, 6)
            // The canvas of the decoder, the frame on its way, and what the encoder compares it with.
            expect((1...3).contains(living.most), "\(chain.map(\.key))")
        }
    }

    /// A source of one's own, whose frames are noted.
    private struct Noted: FrameSource {
        let durations = [Duration](repeating: .milliseconds(50), count: 9)
        let byteCount = 0
        let living: LivingFrames

        func pixels(at index: Int) throws -> [UInt8] {
            // Each frame differs from the one before, and is opaque.
            let pixels = (0..<16 * 16 * 4).map { $0 % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: $0 * (index + 3)) }
            living.note(pixels)
            return pixels
        }
    }

    @Test(arguments: formats) func `an encoder asks for a frame when it has written the one before`(
        format: EncodedFormat
    ) throws {
        let source = Noted(living: LivingFrames())
        let image = try DecodedImage(
            width: 16, height: 16, firstFrame: [UInt8](repeating: 255, count: 16 * 16 * 4), source: source,
            hasAlpha: false
        ).releasingFirstFrame()
        expectEqual(image.byteCount, 0)
        let bytes = try ImageCoders.default.encode(image, as: format)
        expect(source.living.most, <=, 2)
        try expectEqual(ImageCoders.default.decode(bytes).frameCount, 9)
        // What was released is made again.
        try expectEqual(image.pixels, source.pixels(at: 0))
        try expectEqual(image.firstFrame.pixels, source.pixels(at: 0))
    }

    @Test(arguments: formats, formats)
    func `the estimate of a way from file to file counts the same few frames of any animation`(
        from: EncodedFormat, to: EncodedFormat
    ) throws {
        func cost(_ frames: Int, _ isWorstFile: Bool, padding: Int = 10) throws -> Int {
            let chain: [any ImageTransforming] = [.flip(.horizontal), .pad(by: padding)]
            // Plain frames, because what lossless WebP takes beside its pixels depends on them.
            let plain = (0..<frames).map { index in
                DecodedImage.Frame(
                    pixels: (0..<Self.size.width * Self.size.height).flatMap { _ in [UInt8(9 * index), 90, 160, 255] },
                    duration: .milliseconds(100))
            }
            let image = try DecodedImage(
                width: Self.size.width, height: Self.size.height, frames: plain, hasAlpha: false)
            return try ImageCoders.default.transcodingByteCount(
                of: ImageCoders.default.encode(image, as: from), as: to, transformers: chain, isWorstFile: isWorstFile)
        }
        let (few, many) = (try cost(5, false), try cost(20, false))
        // The files themselves differ by some bytes.
        expect(abs(many - few), <, 500)
        try expect(cost(20, true) - cost(5, true), >=, 15 * 60 * 50)
        // The result is there after the last transformer, and in the encoder with one frame more and a file at least.
        try expect(cost(5, false, padding: 100) - few, >=, (240 * 230 - 60 * 50) * 12)
    }

    @Test func `a picture on demand costs what its source holds, and a transformer the frame before it`() throws {
        let image = try ImageCoders.default.decode(file(.apng), options: DecodeOptions(framesOnDemand: true))
        let (frame, mapped) = (Self.size.bitmapByteCount, try image.mapFrames { $0 })
        expectEqual(mapped.byteCount, image.byteCount + frame)
        expectEqual(image.releasingFirstFrame().byteCount, image.byteCount - frame)
        expectEqual(mapped.releasingFirstFrame().releasingFirstFrame().byteCount, image.byteCount)
        let still = image.firstFrame
        expectEqual(still.releasingFirstFrame().byteCount, frame)
    }

    @Test func `an animation on demand is opaque if its first frame is, and no later one takes pixels away`() throws {
        // Two by two pixels of white; index 0 is black.
        let white: [UInt8] = [0x2C, 0, 0, 0, 0, 2, 0, 2, 0, 0, 2, 3, 0x4C, 0x12, 0x05, 0]
        func hasAlpha(_ first: [UInt8], disposal: UInt8) throws -> [Bool] {
            let clear: [UInt8] = [0x21, 0xF9, 4, disposal << 2 | 1, 50, 0, 1, 0]
            let bytes = ImageFactory.headerOnlyGIF(side: 2) + first + white + clear + white + white + [0x3B]
            return try [false, true].map {
                try ImageCoders.default.decode(bytes, options: DecodeOptions(framesOnDemand: $0)).hasAlpha
            }
        }
        try expectEqual(hasAlpha([], disposal: 1), [false, false])
        try expectEqual(hasAlpha([], disposal: 2), [false, true])
        try expectEqual(hasAlpha([0x21, 0xF9, 4, 1, 50, 0, 1, 0], disposal: 0), [true, true])
        for format in [EncodedFormat.gif, .apng] {
            let image = try ImageCoders.default.decode(file(format), options: DecodeOptions(framesOnDemand: true))
            expectEqual(image.hasAlpha, try ImageCoders.default.decode(file(format)).hasAlpha, "\(format.key)")
        }
    }

    @Test(arguments: formats)
    func `an animation on demand ends before a damaged frame if no damage may fail, as in memory`(
        format: EncodedFormat
    ) throws {
        let bytes = try file(format)
        let broken = try Self.broken(bytes, at: 3)
        let coders = ImageCoders.default
        let whole = try coders.decode(bytes)
        let onDemand = try coders.decode(broken, options: DecodeOptions(framesOnDemand: true))
        expectEqual(onDemand.frameCount, 6)
        let error = expectImageError { try onDemand.frame(at: 3) }
        expect(error?.isDamage == true)
        for format in Self.formats { expectImageError { try coders.encode(onDemand, as: format) } }
        expectImageError { try onDemand.loadingAllFrames() }
        expectImageError { try TrimTransformer().transform(onDemand) }
        if format == .apng { return }
        let lax = try coders.decode(broken, options: DecodeOptions(framesOnDemand: true, failOn: .never))
        let held = try coders.decode(broken, options: DecodeOptions(failOn: .never))
        expectEqual(held.frames.map(\.pixels), whole.frames.prefix(3).map(\.pixels))
        expect(held.damage.contains(.missingPixels))
        expectImageError { try lax.frame(at: 3) }
        let loaded = try lax.loadingAllFrames()
        expectEqual(loaded.frames.map(\.pixels), held.frames.map(\.pixels))
        expectEqual(loaded.damage, held.damage)
        for format in Self.formats {
            let file = try coders.transcode(
                broken, as: format, transformers: [.flip(.vertical)], options: DecodeOptions(failOn: .never))
            try expectEqual(coders.properties(of: file).frameCount, 3, "\(format.key)")
            try expectEqual(coders.decode(file).frameCount, 3)
            // The number that an animated PNG announces, after its header.
            if format == .apng { expectEqual(file.bigEndian(at: 33 + 8), 3) }
        }
        try expectEqual(TrimTransformer().transform(lax).size, TrimTransformer().transform(held).size)
    }

    @Test func `a damaged first frame is all that is left if no damage may fail, in memory and on demand`() throws {
        let bytes = try file(.gif)
        let work = DecodingWork(limits: .default, byteCount: bytes.count)
        let second = try GIFOutline(bytes, frameLimit: 9, recordsPlaces: true, work: work).places[1].start
        // The last block of the first frame is cut short, and what follows is not there.
        for start in stride(from: 900, to: second - 300, by: 37) {
            var broken = bytes
            // Codes that do not exist, wherever one begins.
            broken.replaceSubrange(start..<start + 6, with: [UInt8](repeating: 0xFF, count: 6))
            let lax = DecodeOptions(framesOnDemand: true, failOn: .never)
            guard let image = try? ImageCoders.default.decode(broken, options: lax), !image.damage.isEmpty else {
                continue
            }
            let held = try ImageCoders.default.decode(broken, options: DecodeOptions(failOn: .never))
            expectAll(
                held.frameCount == 1, image.pixels == held.pixels, image.damage == held.damage,
                image.hasAlpha == held.hasAlpha)
            let loaded = try image.loadingAllFrames()
            expectAll(loaded.frameCount == 1, loaded.pixels == held.pixels, image.frameCount == 6)
            expectImageError { try image.frame(at: 1) }
            return
        }
        Issue.record("no damage was found")
    }

    /// The file of an animation with broken pixels in one frame.
    private static func broken(_ bytes: [UInt8], at index: Int) throws -> [UInt8] {
        var bytes = bytes
        switch ImageFormat(sniffing: bytes) {
        case .gif:
            let work = DecodingWork(limits: .default, byteCount: bytes.count)
            let outline = try GIFOutline(bytes, frameLimit: 9, recordsPlaces: true, work: work)
            // A control of eight bytes, a header of ten, a palette of 256 colours at most, and the size of a code.
            let data = outline.places[index].start + 8 + 10 + 3 * 256 + 1
            // Codes that do not exist, wherever one begins, and with all blocks as they were.
            for start in data..<outline.places[index + 1].start - 20 {
                var broken = bytes
                broken.replaceSubrange(start..<start + 6, with: [UInt8](repeating: 0xFF, count: 6))
                if (try? GIFOutline(broken, frameLimit: 9, work: work))?.frameCount == outline.frameCount,
                    (try? ImageCoders.default.decode(broken)) == nil
                {
                    return broken
                }
            }
            Issue.record("no damage was found")
        case .webp:
            let frames = bytes.indices.filter { bytes[$0...].starts(with: "ANMF".utf8) }
            // The width in the frame's pixels, after three headers and a signature.
            bytes[frames[index] + 33] ^= 1
        default:
            let frames = bytes.indices.filter { bytes[$0...].starts(with: "fcTL".utf8) }
            let data = try required(bytes[frames[index]...].indices.first { bytes[$0...].starts(with: "fdAT".utf8) })
            bytes[data + 12] ^= 0xFF
        }
        return bytes
    }
}

/// Counts the arrays of pixels that exist at a time, of those it was shown.
private final class LivingFrames: Sendable {
    /// Safe to send: the storage is never read.
    private struct Reference: @unchecked Sendable { weak var storage: AnyObject? }

    private let state = Mutex<(seen: [Reference], most: Int)>(([], 0))

    /// The most that existed when one was shown.
    var most: Int { state.withLock { $0.most } }

    /// A transformer that changes nothing.
    var noting: any ImageTransforming {
        CustomTransformer(key: "note") { image in
            try image.mapFrames { [self] pixels in
                note(pixels)
                return pixels
            }
        }
    }

    func note(_ pixels: [UInt8]) {
        // An array is a reference to its storage, which is an object of Swift.
        let reference = Reference(storage: unsafe unsafeBitCast(pixels, to: AnyObject.self))
        state.withLock { state in
            state.seen = state.seen.filter { $0.storage != nil } + [reference]
            state.most = max(state.most, Set(state.seen.compactMap { $0.storage.map(ObjectIdentifier.init) }).count)
        }
    }
}
