import ImageCoding

/// The file that a picture is made from, and what is known about it.
struct Original: Sendable {
    let bytes: [UInt8]
    let metadata: EntryMetadata
    let source: ImageSource
    /// The number of the transfer that brought or confirmed it; 0 for what was on disk before.
    var number = 0

    func encoded(_ properties: ImageProperties) -> EncodedImage {
        EncodedImage(
            bytes: bytes, format: properties.format, width: properties.width, height: properties.height,
            frameCount: properties.frameCount ?? 1, source: source)
    }
}
