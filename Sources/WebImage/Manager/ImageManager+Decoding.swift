import ImageCoding

extension ImageManager {
    /// Decodes as far as `request` needs it. Blocks.
    nonisolated func decoded(
        _ original: Original, _ properties: ImageProperties, _ request: ImageRequest
    ) throws -> DecodedOriginal {
        let options = DecodeOptions(
            limits: configuration.limits, firstFrameOnly: request.firstFrameOnly, thumbnail: request.thumbnail)
        let image = try configuration.coders.decode(original.bytes, options: options)
        var properties = properties
        // Only the whole file tells how many frames some formats hold.
        if properties.frameCount == nil, !options.firstFrameOnly { properties.frameCount = image.frames.count }
        return DecodedOriginal(original, image, properties)
    }

    /// What the header says of a picture that is decoded faster than a thread wakes up; `nil` for any other.
    nonisolated func tinyProperties(_ bytes: [UInt8]) -> ImageProperties? {
        guard bytes.count <= 4_096, configuration.inlinePixelLimit > 0,
            let properties = try? configuration.coders.properties(of: bytes), properties.frameCount == 1,
            properties.width * properties.height <= configuration.inlinePixelLimit
        else { return nil }
        return properties
    }
}
