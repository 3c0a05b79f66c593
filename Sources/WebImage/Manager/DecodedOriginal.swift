import ImageCoding

/// A file and what it shows. An object, because a load carries it from stage to stage.
final class DecodedOriginal: Sendable {
    let original: Original
    let image: DecodedImage
    let properties: ImageProperties

    init(_ original: Original, _ image: DecodedImage, _ properties: ImageProperties) {
        self.original = original
        self.image = image
        self.properties = properties
    }
}
