// SPDX-License-Identifier: MIT
extension ImageCoders {
    /// Encodes a picture.
    ///
    /// Blocks its thread for the whole work; run it on a thread that may block.
    ///
    /// **Cancellation**: checked between rows or frames; throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - image: The picture. In a format without animation, an animation becomes its first frame.
    ///   - format: The format and its options.
    /// - Throws: ``ImageError``: `.unsupportedFormat` when no encoder writes it, `.tooLarge` when it cannot hold the
    ///   size, `.invalidRequest` for a largest size without area; `CancellationError`.
    public func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8] {
        guard let encoder = encoders.first(where: { $0.canEncode(format.format) }) else {
            let trait = format.format == .avif ? format.format.missingTrait : nil
            let hint = trait.map { ": enable the package trait \($0.name) and install \($0.package)" } ?? ""
            throw ImageError(code: .unsupportedFormat, message: "No encoder here writes \(format.format)\(hint).")
        }
        try Task.checkCancellation()
        var image = image
        if let box = format.options.maximumSize {
            if format.options.firstFrameOnly { image = image.firstFrame }
            image = try ResizeTransformer(size: box).transform(image)
        }
        let bytes = try encoder.encode(image, as: format)
        guard let limit = format.options.maximumByteCount, bytes.count > limit, encoder.usesQuality(format) else {
            return bytes
        }
        return try smallest(image, format, limit, encoder)
    }

    /// Searches the best quality below that of the format for a file within the limit.
    private func smallest(
        _ image: DecodedImage, _ format: EncodedFormat, _ limit: Int, _ encoder: any ImageEncoding
    ) throws -> [UInt8] {
        func encode(_ quality: Int) throws -> [UInt8] {
            try Task.checkCancellation()
            var options = format.options
            (options.maximumSize, options.maximumByteCount, options.quality) = (nil, nil, quality)
            return try encoder.encode(image, as: EncodedFormat(format.format, options: options))
        }
        var (low, high) = (1, format.options.quality)
        var best: [UInt8]?
        while low < high {
            let middle = (low + high) / 2
            let bytes = try encode(middle)
            if bytes.count <= limit { (best, low) = (bytes, middle + 1) } else { high = middle }
        }
        return try best ?? encode(1)
    }

    /// The peak memory of ``encode(_:as:)``, in addition to the picture.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its options.
    /// - Returns: Bytes, an upper estimate; 0 when no encoder writes the format; `.max` when the number does not fit.
    /// - Complexity: O(number of encoders).
    public func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        guard let encoder = encoders.first(where: { $0.canEncode(format.format) }) else { return 0 }
        var byteCount = encoder.encodingByteCount(of: image, as: format)
        // A search keeps the best file so far.
        if let limit = format.options.maximumByteCount { byteCount = byteCount.saturatingAdd(max(limit, 0)) }
        if let box = format.options.maximumSize {
            let frames = format.options.firstFrameOnly ? 1 : image.frameCount
            let resized = ResizeTransformer(size: box).resultSize(for: image.size).bitmapByteCount
            byteCount = byteCount.saturatingAdd(resized.saturatingMultiply(frames))
        }
        return byteCount
    }
}
