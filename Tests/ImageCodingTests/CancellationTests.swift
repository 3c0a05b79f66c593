// SPDX-License-Identifier: MIT
import CLibwebp
import Synchronization
import TestSupport
import Testing
import WebImageTesting

@testable import ImageCoding

/// Runs `body` in a task that is cancelled from the start.
private func cancelled<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async -> Result<
    Value, any Error
> {
    await Task {
        unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
        return try body()
    }.result
}

@Suite("Cancellation")
struct CancellationTests {
    private static let formats: [EncodedFormat] = [
        .jpeg(), .jpeg(isProgressive: true), .png, .gif, .webp(), .losslessWebP,
    ]

    /// The coders are called directly, because the list of coders would check for cancellation first.
    private static func coder(_ format: EncodedFormat) -> any ImageDecoding & ImageEncoding {
        switch format.format {
        case .jpeg: JPEGCoder()
        case .png: PNGCoder()
        case .gif: GIFCoder()
        default: WebPCoder()
        }
    }

    /// Writes a byte for each step of quality, and cancels its task with the second file.
    private final class Heedless: ImageEncoding {
        let files = Atomic(0)

        func canEncode(_ format: ImageFormat) -> Bool { true }

        func encode(_ image: DecodedImage, as format: EncodedFormat) -> [UInt8] {
            if files.add(1, ordering: .relaxed).newValue == 2 { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            return [UInt8](repeating: 0, count: format.options.quality)
        }
    }

    @Test func `a search for a quality ends with its task, though the encoder does not look`() async {
        let encoder = Heedless()
        let coders = ImageCoders(decoders: [], encoders: [encoder])
        let image = ImageFactory.picture(width: 4, height: 4, seed: 1)
        let result = await Task { try coders.encode(image, as: .jpeg().limited(toByteCount: 10)).count }.result
        expectError(CancellationError.self) { try result.get() }
        expectEqual(encoder.files.load(ordering: .relaxed), 2)
        // Nor does it begin in a task that is cancelled.
        let never = await cancelled { try coders.encode(image, as: .png).count }
        expectError(CancellationError.self) { try never.get() }
        expectEqual(encoder.files.load(ordering: .relaxed), 2)
    }

    @Test(.enabled(if: hasSystemAllocator))
    func `an encode that is cancelled, and previews that are dropped, leave nothing in memory`() async throws {
        let image = ImageFactory.picture(width: 200, height: 200, seed: 1)
        let file = try ImageCoders.default.encode(image, as: .jpeg(isProgressive: true))
        for format in Self.formats {
            let coder = Self.coder(format)
            let encode: @Sendable () throws -> Int = {
                for _ in 0..<40 { _ = try? coder.encode(image, as: format) }
                return 0
            }
            _ = await cancelled(encode)
            let (_, growth) = await heapGrowth { await cancelled(encode) }
            expect(growth, <, 40 * 256, "\(format.key)")
        }
        let preview = {
            for _ in 0..<40 {
                _ = try ImageCoders.default.previewer(for: file, options: DecodeOptions())?.preview(of: file)
            }
        }
        try preview()
        let (_, growth) = try heapGrowth(of: preview)
        expect(growth, <, 40 * 256)
    }

    @Test func `each step of a drawing heeds the cancellation of its task`() async throws {
        let image = ImageFactory.animation(width: 40, height: 30, frames: 2, seed: 1)
        let (size, part) = (image.size, PixelRect(x: 1, y: 1, width: 20, height: 20))
        let hash = try BlurHash(of: image)
        let steps: [@Sendable () throws -> Void] = [
            {
                var canvas = PremultipliedCanvas(image)
                try canvas.draw(image, x: 0, y: 0)
            },
            {
                var canvas = PremultipliedCanvas(image)
                try canvas.replace(part, by: [UInt8](repeating: 0, count: 20 * 20 * 4))
            },
            { _ = try Bitmap.cut(part, from: image.pixels, size) },
            { _ = try Bitmap.flattened(image.pixels, on: .white) },
            {
                var canvas = FrameCanvas(size: size)
                canvas.pixels = image.pixels
                try canvas.draw(
                    image.pixels, in: PixelRect(x: 0, y: 0, width: 40, height: 30), isBlended: true,
                    DecodingWork(limits: .default, byteCount: 1))
            },
            { _ = try TransformerPipeline([CustomTransformer(key: "a") { $0 }]).transform(image) },
            { try image.forEachFrame { _, _ in } },
            { _ = try image.dominantColor() }, { _ = try BlurHash(of: image) }, { _ = try ThumbHash(of: image) },
            { _ = try hash.image(size: size) },
        ]
        for (number, step) in steps.enumerated() {
            try step()
            let result = await cancelled(step)
            expectError(CancellationError.self, "step \(number)") { try result.get() }
        }
    }

    @Test func `a cancelled task decodes, encodes and transforms nothing`() async throws {
        let picture = ImageFactory.picture(width: 200, height: 150, seed: 3)
        let animation = ImageFactory.animation(width: 40, height: 30, frames: 3, seed: 3)
        let animated = [EncodedFormat.gif, .webp(), .losslessWebP]
        for (image, format) in Self.formats.map({ (picture, $0) }) + animated.map({ (animation, $0) }) {
            let bytes = try ImageCoders.default.encode(image, as: format)
            let decoded = await cancelled {
                try CancellationTests.coder(format).decode(bytes, options: DecodeOptions()).width
            }
            expectError(CancellationError.self, "decoding \(image.frameCount) of \(format.key)") { try decoded.get() }
            let encoded = await cancelled { try CancellationTests.coder(format).encode(image, as: format).count }
            expectError(CancellationError.self, "encoding \(image.frameCount) of \(format.key)") { try encoded.get() }
        }
        let transformers: [any ImageTransforming] = [
            .resize(to: PixelSize(width: 20, height: 20)), .crop(to: PixelRect(x: 0, y: 0, width: 20, height: 20)),
            .pipeline([.resize(to: PixelSize(width: 20, height: 20))]),
        ]
        for transformer in transformers {
            let result = await cancelled { try transformer.transform(picture).width }
            expectError(CancellationError.self, "\(transformer.key)") { try result.get() }
        }
        // The list of coders checks before it begins.
        let result = await cancelled { try ImageCoders.default.decode([]).width }
        expectError(CancellationError.self) { try result.get() }
    }

    @Test(arguments: [false, true])
    func `libwebp asks within a frame, and stops as a cancellation`(isLossless: Bool) async throws {
        let image = ImageFactory.picture(width: 200, height: 150, seed: 3)
        let result = await Task {
            try unsafe WebPPicture.withPicture(image.pixels, of: image, inARGB: isLossless) { picture in
                var config = WebPConfig()
                expect(unsafe WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, 80) != 0)
                config.lossless = isLossless ? 1 : 0
                unsafe picture.pointee.writer = { _, _, _ in 1 }
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                let isDone = unsafe WebPEncode(&config, picture) != 0
                try unsafe WebPPicture.check(isDone, picture.pointee.error_code)
            }
        }.result
        expectError(CancellationError.self) { try result.get() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a task that is cancelled within a frame of a GIF does not write the rest`() async throws {
        let rect = PixelRect(x: 0, y: 0, width: 64, height: 4_000)
        let pixels = ImageFactory.randomBytes(count: 64 * 4_000, seed: 1).flatMap { [$0, $0, $0, 255] as [UInt8] }
        let frame = try IndexedPixels(pixels, width: 64, hasAlpha: false, maxColors: 256, isDithered: false)
        @Sendable func write(_ begin: () -> Void = {}) throws -> (count: Int, isWhole: Bool) {
            let writer = try GIFWriter.open(size: PixelSize(width: 64, height: 4_000), loopCount: nil)
            begin()
            var isWhole = true
            do { try writer.put(frame, in: rect, delay: 0) } catch is CancellationError { isWhole = false }
            return (try writer.finish().count, isWhole)
        }
        let (whole, _) = try write()
        // Until a cancellation has come after the head and the first rows.
        var written = 0
        while !(2_000..<whole).contains(written), !Task.isCancelled {
            let hasBegun = Atomic<Bool>(false)
            let task = Task { try write { hasBegun.store(true, ordering: .relaxed) } }
            while !hasBegun.load(ordering: .relaxed) { await Task.yield() }
            task.cancel()
            let (count, isWhole) = try await task.value
            expectEqual(isWhole, (count == whole))
            written = count
        }
    }
}
