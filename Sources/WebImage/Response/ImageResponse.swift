public import HTTPTransport
public import ImageCoding

/// A loaded picture and where it came from.
///
/// A value of one word: copies share their fields until one of them is changed.
public struct ImageResponse: Sendable {
    private var fields: Shared<Fields>

    /// Creates a response, for loaders other than ``ImageManager``.
    public init(
        image: DecodedImage, format: ImageFormat, source: ImageSource, original: EncodedImage? = nil,
        origin: OriginResponse? = nil, metrics: LoadMetrics = LoadMetrics()
    ) {
        self.init(
            Fields(
                image: image, format: format, source: source, original: original, origin: origin, metrics: metrics))
    }

    init(_ fields: Fields) { self.fields = Shared(fields) }

    /// What a response consists of.
    struct Fields: Sendable {
        var image: DecodedImage
        var format: ImageFormat
        var source: ImageSource
        var original: EncodedImage?
        var origin: OriginResponse?
        var metrics = LoadMetrics()
        /// The number of the transfer that brought or confirmed the content; 0 when it was on disk before.
        var number = 0
        /// Whether the original stores its pixels exactly.
        var isLossless = false
        /// The generation of the original that the picture was made from; `nil` when it is unknown.
        var generation: ContentGeneration?
        /// The picture's share of the processing budget, until the caller has the picture.
        var share: MemoryShare?
    }

    private mutating func change(_ body: (inout Fields) -> Void) {
        var changed = fields.value
        body(&changed)
        fields = Shared(changed)
    }
}

extension ImageResponse {
    /// The picture, decoded and transformed.
    public var image: DecodedImage {
        get { fields.value.image }
        set { change { $0.image = newValue } }
    }

    /// The format of the original file.
    public var format: ImageFormat {
        get { fields.value.format }
        set { change { $0.format = newValue } }
    }

    /// Where the picture came from.
    public var source: ImageSource {
        get { fields.value.source }
        set { change { $0.source = newValue } }
    }

    /// The original file, when this load read or received it; a memory hit does not carry it.
    public var original: EncodedImage? {
        get { fields.value.original }
        set { change { $0.original = newValue } }
    }

    /// What the origin said: status, fields, final address, validators and expiry. `nil` for a picture that did not come
    /// from an origin, and for a transformed picture from disk.
    public var origin: OriginResponse? {
        get { fields.value.origin }
        set { change { $0.origin = newValue } }
    }

    /// How long each stage took; `nil` for stages that did not run.
    public var metrics: LoadMetrics {
        get { fields.value.metrics }
        set { change { $0.metrics = newValue } }
    }

    /// The number of the transfer that brought or confirmed the content; 0 when it was on disk before.
    var number: Int { fields.value.number }

    /// Whether the original stores its pixels exactly.
    var isLossless: Bool { fields.value.isLossless }

    /// What is wrong with the file that the picture was decoded from; empty for a whole file.
    public var damage: ImageDamage { image.damage }

    /// The generation of the original that the picture was made from; `nil` when it is unknown.
    var generation: ContentGeneration? { fields.value.generation }

    /// The picture's share of the processing budget, until the caller has the picture.
    var share: MemoryShare? { fields.value.share }

    /// The response for the caller, which may keep it forever.
    var handedOver: ImageResponse {
        guard share != nil else { return self }
        var copy = self
        copy.change { $0.share = nil }
        return copy
    }

    /// The response that a later load finds in memory: the picture without the file.
    var remembered: ImageResponse {
        ImageResponse(
            Fields(
                image: image, format: format, source: .memory, origin: origin, number: number,
                isLossless: isLossless, generation: generation))
    }

    /// The response of a load whose origin has confirmed the picture.
    func confirmed(_ origin: OriginResponse?, number: Int, metrics: LoadMetrics) -> ImageResponse {
        var copy = self
        copy.change {
            $0.origin = origin ?? $0.origin
            $0.number = number
            $0.metrics = metrics
        }
        return copy
    }
}

/// Where a picture came from.
public enum ImageSource: String, Sendable, Hashable, CaseIterable {
    /// The memory cache.
    case memory
    /// The disk cache: the variant itself, or the original that it was made from.
    case disk
    /// The origin.
    case network
}

/// How long the stages of one load took.
///
/// The figures belong to the flight: callers that joined it share them.
public struct LoadMetrics: Sendable, Hashable {
    /// From asking the disk cache to its answer.
    public var diskRead: Duration?
    /// From asking the downloader to the last byte, the wait in its queue included.
    public var download: Duration?
    /// What the transport measured; `nil` without a transfer.
    public var transfer: HTTPMetrics? { answer?.metrics }
    /// What the transfer has brought. It holds the transport's measurements, which are many.
    var answer: OriginResponse?
    /// Decoding alone, without the wait for memory and a thread.
    public var decode: Duration?
    /// The transformers alone.
    public var transform: Duration?

    /// Creates metrics in which no stage has run.
    public init() {}
}
