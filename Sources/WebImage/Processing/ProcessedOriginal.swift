import ImageCoding

/// A file, what its header says, and the picture that was made of it. An object, because a load carries it from stage to
/// stage.
final class ProcessedOriginal: Sendable {
    let original: Original
    let properties: ImageProperties
    /// The picture, or what a transformer has thrown.
    let picture: Result<DecodedImage, any Error>
    /// What the picture holds of the budget; `nil` for one that is too small to count.
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
