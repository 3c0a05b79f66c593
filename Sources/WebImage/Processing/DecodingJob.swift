// SPDX-License-Identifier: MIT
import ImageCoding

/// What one job does. An object, because the options are large and a job passes through several suspensions.
final class DecodingJob: Sendable {
    let original: Original
    let coders: ImageCoders
    let options: DecodeOptions
    let transformers: ArraySlice<any ImageTransforming>

    init(
        _ original: Original, _ coders: ImageCoders, _ options: DecodeOptions,
        _ transformers: ArraySlice<any ImageTransforming>
    ) {
        self.original = original
        self.coders = coders
        self.options = options
        self.transformers = transformers
    }

    func run(_ properties: ImageProperties, share: MemoryShare?) throws -> ProcessedOriginal {
        let decoding = Stopwatch()
        let image = try coders.decode(original.bytes, options: options)
        // The result of a cancelled decoder is not usable. A cancelled transformer does not change the file.
        try Task.checkCancellation()
        let decodeTook = decoding.elapsed
        var properties = properties
        // In some formats only the whole file shows the number of frames.
        if properties.frameCount == nil, !options.firstFrameOnly { properties.frameCount = image.frameCount }
        var (picture, transformTook) = (Result<DecodedImage, any Error>.success(image), Duration?.none)
        if !transformers.isEmpty {
            let transforming = Stopwatch()
            picture = Result { try TransformerPipeline(Array(transformers)).transform(image) }
            transformTook = transforming.elapsed
        }
        if let share, case .success(let picture) = picture { share.shrink(to: picture.byteCount) }
        return ProcessedOriginal(
            original, properties, picture, share, generation: original.generation, decodeTook: decodeTook,
            transformTook: transformTook)
    }
}
