public import ImageCoding

/// A loaded picture and where it came from.
public struct ImageResponse: Sendable {
    /// The picture, decoded and transformed.
    public var image: DecodedImage
    /// The format of the original file.
    public var format: ImageFormat
    /// Where the picture came from.
    public var source: ImageSource
    /// The original file, when this load read or received it; a memory hit does not carry it.
    public var original: EncodedImage?
    /// How long each stage took; stages that did not run are nil.
    public var metrics: LoadMetrics
    /// The number of the transfer that brought it, 0 when it was on disk before.
    var number = 0

    /// Creates a response, for loaders other than ``ImageManager``.
    public init(
        image: DecodedImage, format: ImageFormat, source: ImageSource, original: EncodedImage? = nil,
        metrics: LoadMetrics = LoadMetrics()
    ) {
        self.image = image
        self.format = format
        self.source = source
        self.original = original
        self.metrics = metrics
    }

    func from(_ source: ImageSource) -> ImageResponse {
        var copy = self
        copy.source = source
        copy.original = nil
        copy.metrics = LoadMetrics()
        return copy
    }
}
