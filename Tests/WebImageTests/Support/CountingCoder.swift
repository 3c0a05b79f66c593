// SPDX-License-Identifier: MIT
import ImageCoding
import Locks

/// PNG through the built-in coder, counted.
final class CountingCoder: ImageDecoding, ImageEncoding {
    private struct Counts {
        var decodes = 0
        var finishedDecodes = 0
        var encodes = 0
    }

    private let counts = Mutex(Counts())
    private let coders = ImageCoders.default
    private let whileReading: @Sendable () throws -> Void
    private let whileDecoding: @Sendable () throws -> Void

    /// - Parameters:
    ///   - whileReading: Runs before each look at properties.
    ///   - whileDecoding: Runs in the middle of each decode.
    init(
        whileReading: @escaping @Sendable () throws -> Void = {},
        whileDecoding: @escaping @Sendable () throws -> Void = {}
    ) {
        (self.whileReading, self.whileDecoding) = (whileReading, whileDecoding)
    }

    /// How many decodes have begun.
    var decodes: Int { counts.withLock { $0.decodes } }
    /// How many of them have brought a picture.
    var finishedDecodes: Int { counts.withLock { $0.finishedDecodes } }
    var encodes: Int { counts.withLock { $0.encodes } }

    /// This coder, followed by the built-in ones.
    var registry: ImageCoders {
        ImageCoders(decoders: [self] + coders.decoders, encoders: [self] + coders.encoders)
    }

    func canDecode(_ bytes: [UInt8], format: ImageFormat?) -> Bool { true }
    func canEncode(_ format: ImageFormat) -> Bool { true }

    func properties(of bytes: [UInt8], options: DecodeOptions) throws -> ImageProperties {
        try whileReading()
        return try coders.properties(of: bytes, options: options)
    }

    func decode(_ bytes: [UInt8], options: DecodeOptions) throws -> DecodedImage {
        counts.withLock { $0.decodes += 1 }
        try whileDecoding()
        let image = try coders.decode(bytes, options: options)
        counts.withLock { $0.finishedDecodes += 1 }
        return image
    }

    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        counts.withLock { $0.encodes += 1 }
        return try coders.encode(image, as: format)
    }
}
