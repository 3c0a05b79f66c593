// SPDX-License-Identifier: MIT
import Scenes
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Previews that read each byte once.
@Suite struct JPEGPreviewTests {
    private let coders = ImageCoders.default

    private func file(_ width: Int = 640, _ height: Int = 480) throws -> [UInt8] {
        try SceneFactory.encoded(width: width, height: height, seed: 9, as: .jpeg(isProgressive: true))
    }

    private static let small = DecodeOptions(thumbnail: .resize(to: PixelSize(width: 160, height: 160)))

    @Test func `previews sharpen, and the last one is the picture`() throws {
        let file = try file()
        let previewer = try required(try coders.previewer(for: file, options: Self.small))
        let whole = try coders.decode(file, options: Self.small)
        var sharpness: [Double] = []
        for part in 1...20 {
            let beginning = Array(file.prefix(file.count * part / 20))
            guard let preview = try previewer.preview(of: beginning) else { continue }
            expectEqual(preview.size, whole.size)
            expectEqual(preview.damage, [.missingEnd, .missingPixels])
            sharpness.append(PixelComparison(preview.pixels, whole.pixels).psnr)
        }
        expect(sharpness.count, >=, 15)
        expectEqual(sharpness.last, .infinity)
        expect(zip(sharpness, sharpness.dropFirst()).allSatisfy { $0 <= $1 + 0.5 })
        try expect(required(sharpness.first), <, 40)
    }

    @Test func `twenty previews read the file once`() throws {
        let file = try file(1_200, 900)
        let work = DecodingWork(limits: .default, byteCount: file.count)
        _ = try JPEGCoder().decode(file, Self.small, work)
        let header = try JPEGHeader(file, DecodeOptions(), work)
        let previewer = try JPEGPreviewer(header, Self.small)
        var count = 0
        for part in 1...20 where try previewer.preview(of: Array(file.prefix(file.count * part / 20))) != nil {
            count += 1
        }
        // Each draws a sixteenth of the pixels, at a quarter of both sides.
        expect(previewer.drawnPixelCount, <=, work.drawnPixelCount + (count + 1) * 300 * 240)
        // Another one reads nothing, and counts what it draws.
        let before = previewer.drawnPixelCount
        _ = try previewer.preview(of: file)
        expect((300 * 220...300 * 225).contains(previewer.drawnPixelCount - before))
    }

    @Test(arguments: [1, 7, 64, 1_000]) func `a file may arrive in pieces of any size`(size: Int) throws {
        var file = turned(try file(96, 64), 1)
        // A segment that is skipped, also where it has not arrived yet: APP12, 3,000 bytes that look like the end.
        let ends = (0..<1_499).flatMap { _ in [0xFF, 0xD9] as [UInt8] }
        file.insert(contentsOf: [0xFF, 0xEC, 0x0B, 0xB8] + ends, at: 2)
        let previewer = try required(try coders.previewer(for: file))
        var last: DecodedImage?
        for end in stride(from: size, to: file.count + size, by: size) {
            last = try previewer.preview(of: Array(file.prefix(end))) ?? last
        }
        try expectEqual(last?.pixels, coders.decode(file).pixels)
        try expectEqual(previewer.preview(of: file)?.pixels, last?.pixels)
    }

    @Test(arguments: 1...8) func `a preview is upright`(orientation: Int) throws {
        let file = turned(try file(96, 64), orientation)
        let previewer = try required(try coders.previewer(for: file))
        let whole = try coders.decode(file)
        expectEqual(whole.size, (orientation < 5 ? PixelSize(width: 96, height: 64) : PixelSize(width: 64, height: 96)))
        try expectEqual(previewer.preview(of: file)?.pixels, whole.pixels)
    }

    /// The file with an EXIF block, which libjpeg skips.
    private func turned(_ file: [UInt8], _ orientation: Int) -> [UInt8] {
        let exif: [UInt8] =
            [0xFF, 0xE1, 0, 34] + "Exif\0\0II*\0".utf8 + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0]
            + [UInt8(orientation), 0, 0, 0, 0, 0, 0, 0]
        return Array(file[..<2] + exif + file[2...])
    }

    @Test func `a file of one scan, or another format, has no such previews`() throws {
        for format in [EncodedFormat.jpeg(), .png, .webp(), .gif] {
            let bytes = try SceneFactory.encoded(width: 32, height: 32, seed: 1, as: format)
            try expectNil(coders.previewer(for: bytes))
        }
        expectImageError { try coders.previewer(for: [1, 2, 3]) }
        let limits = ImageLimits(maximumByteCount: 1_000)
        expectImageError {
            try coders.previewer(for: file(), options: DecodeOptions(limits: limits))
        }
    }

    @Test func `broken files end, at every limit`() throws {
        let file = try file(96, 64)
        for seed in 0..<300 {
            var broken = file
            let noise = ImageFactory.randomBytes(count: 12, seed: seed)
            for k in 0..<3 { broken[(Int(noise[k * 4]) << 8 | Int(noise[k * 4 + 1])) % file.count] ^= noise[k * 4 + 2] }
            guard let previewer = try? coders.previewer(for: broken, options: Self.small) else { continue }
            for part in 1...5 { _ = try? previewer.preview(of: Array(broken.prefix(file.count * part / 5))) }
        }
        for limits in [ImageLimits(maximumDrawnPixelCount: 96 * 64 * 2), ImageLimits(maximumScanCount: 2)] {
            let previewer = try required(try coders.previewer(for: file, options: DecodeOptions(limits: limits)))
            expectImageError {
                for part in 1...20 { _ = try previewer.preview(of: Array(file.prefix(file.count * part / 20))) }
            }
        }
    }

    @Test func `a file of exactly the allowed scans has previews to its end`() throws {
        let file = try file(96, 64)
        // What libjpeg writes.
        let scans = 10
        for (most, isEnough) in [(scans, true), (scans - 1, false)] {
            let options = DecodeOptions(limits: ImageLimits(maximumScanCount: most))
            let previewer = try required(try coders.previewer(for: file, options: options))
            if isEnough {
                try expectEqual(previewer.preview(of: file)?.pixels, coders.decode(file, options: options).pixels)
            } else {
                expectImageError(.tooLarge) { try previewer.preview(of: file) }
                expectImageError(.tooLarge) { try coders.decode(file, options: options) }
            }
        }
    }

    @Test func `all previews of a file together draw no more pixels than one decode may, to the last one`() throws {
        let file = try file(96, 64)
        func drawn(_ most: Int) throws -> Int {
            let options = DecodeOptions(limits: ImageLimits(maximumDrawnPixelCount: most))
            let previewer = try JPEGPreviewer(JPEGHeader(file, options), options)
            for part in 1...3 { _ = try previewer.preview(of: Array(file.prefix(file.count * part / 3))) }
            expectImageError(.workLimitExceeded) { for _ in 0...most { _ = try previewer.preview(of: file) } }
            return previewer.drawnPixelCount
        }
        let whole = try JPEGPreviewer(JPEGHeader(file, DecodeOptions()), DecodeOptions())
        for part in 1...3 { _ = try whole.preview(of: Array(file.prefix(file.count * part / 3))) }
        let count = whole.drawnPixelCount
        try expect(drawn(count), >, count)
        expectImageError(.workLimitExceeded) { try drawn(count - 1) }
    }

    @Test func `a cancelled preview ends, and a later one goes on`() async throws {
        let file = try file()
        let previewer = try required(try coders.previewer(for: file))
        let cancelled = Task {
            while !Task.isCancelled { await Task.yield() }
            return try previewer.preview(of: file)
        }
        cancelled.cancel()
        await expectError(CancellationError.self) { try await cancelled.value }
        try expectEqual(previewer.preview(of: file)?.pixels, coders.decode(file).pixels)
    }
}
