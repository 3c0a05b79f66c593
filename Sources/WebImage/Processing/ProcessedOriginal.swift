import ImageCoding

/// A file, its properties, and the picture that was made from it. An object, because a load passes it from stage to
/// stage.
final class ProcessedOriginal: Sendable {
    let original: Original
    let properties: ImageProperties
    /// The picture, or the error of a transformer.
    let picture: Result<DecodedImage, any Error>
    /// The picture's share of the budget; `nil` for a picture that is too small to count.
    let share: MemoryShare?
    let decodeTook: Duration
    /// `nil` when nothing was transformed.
    let transformTook: Duration?

    init(
        _ original: Original, _ properties: ImageProperties, _ picture: Result<DecodedImage, any Error>,
        _ share: MemoryShare?, decodeTook: Duration, transformTook: Duration?
    ) {
        self.original = original
        self.properties = properties
        self.picture = picture
        self.share = share
        self.decodeTook = decodeTook
        self.transformTook = transformTook
    }
}
