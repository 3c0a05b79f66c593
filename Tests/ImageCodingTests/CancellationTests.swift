// SPDX-License-Identifier: MIT
import ImageCoding
import Testing
import WebImageTesting

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

    @Test(arguments: formats)
    func `a cancelled task decodes nothing`(format: EncodedFormat) async throws {
        let bytes = try ImageFactory.encoded(width: 200, height: 150, seed: 3, as: format)
        let result = await cancelled {
            try CancellationTests.coder(format).decode(bytes, options: DecodeOptions()).width
        }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    @Test(arguments: formats)
    func `a cancelled task encodes nothing`(format: EncodedFormat) async throws {
        let picture = ImageFactory.picture(width: 200, height: 150, seed: 3)
        let result = await cancelled { try CancellationTests.coder(format).encode(picture, as: format).count }
        #expect(throws: CancellationError.self) { try result.get() }
    }

    @Test(arguments: [EncodedFormat.gif, .webp(), .losslessWebP])
    func `a cancelled task stops between frames`(format: EncodedFormat) async throws {
        let animation = ImageFactory.animation(width: 40, height: 30, frames: 3, seed: 3)
        let bytes = try ImageCoders.default.encode(animation, as: format)
        let decoded = await cancelled {
            try CancellationTests.coder(format).decode(bytes, options: DecodeOptions()).width
        }
        #expect(throws: CancellationError.self) { try decoded.get() }
        let encoded = await cancelled { try CancellationTests.coder(format).encode(animation, as: format).count }
        #expect(throws: CancellationError.self) { try encoded.get() }
    }

    @Test
    func `a cancelled task transforms nothing`() async {
        let picture = ImageFactory.picture(width: 200, height: 150, seed: 3)
        let transformers: [any ImageTransforming] = [
            .resize(to: PixelSize(width: 20, height: 20)), .crop(to: PixelRect(x: 0, y: 0, width: 20, height: 20)),
            .pipeline([.resize(to: PixelSize(width: 20, height: 20))]),
        ]
        for transformer in transformers {
            let result = await cancelled { try transformer.transform(picture).width }
            #expect(throws: CancellationError.self) { try result.get() }
        }
    }

    @Test
    func `the list of coders checks for cancellation before it begins`() async throws {
        let result = await cancelled { try ImageCoders.default.decode([]).width }
        #expect(throws: CancellationError.self) { try result.get() }
    }
}
