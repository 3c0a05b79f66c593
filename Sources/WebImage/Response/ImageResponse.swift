// SPDX-License-Identifier: MIT
public import HTTPTransport
public import ImageCoding

/// A loaded picture and where it came from.
///
/// A value of two words: copies share their fields.
public struct ImageResponse: Sendable {
    /// What memory keeps.
    private(set) var content: Shared<Content>
    /// How this load came by it; `nil` for what memory holds.
    private var delivery: Shared<Delivery>?

    /// Creates a response, for loaders other than ``ImageManager``.
    public init(
        image: DecodedImage, format: ImageFormat, source: ImageSource, original: EncodedImage? = nil,
        origin: OriginResponse? = nil, metrics: LoadMetrics = LoadMetrics()
    ) {
        self.init(
            Content(image: image, format: format, origin: origin),
            Delivery(source: source, original: original, metrics: metrics))
    }

    init(_ content: Content, _ delivery: Delivery) {
        self.content = Shared(content)
        self.delivery = Shared(delivery)
    }

    /// The response of a load that finds the picture in memory.
    init(inMemory content: Shared<Content>) { self.content = content }

    /// A picture, whichever load asks for it.
    struct Content: Sendable {
        var image: DecodedImage
        var format: ImageFormat
        var origin: OriginResponse?
        /// The number of the transfer that brought or confirmed the content; 0 when it was on disk before.
        var number = 0
        /// Whether the original stores its pixels exactly.
        var isLossless = false
        /// The generation of the original that the picture was made from; `nil` when it is unknown.
        var generation: ContentGeneration?

        /// The same after the origin has confirmed the original.
        func confirmed(_ origin: OriginResponse?, number: Int) -> Content {
            var copy = self
            copy.origin = origin ?? self.origin
            copy.number = number
            return copy
        }
    }

    /// How one load came by its picture.
    struct Delivery: Sendable {
        var source = ImageSource.memory
        var original: EncodedImage?
        var metrics = LoadMetrics()
        /// The picture's share of the processing budget, until the caller has the picture.
        var share: PictureShare?
        /// What happened at the origin; `nil` when ``source`` says it all.
        var facts: LoadFacts?
    }

    /// The same picture that has come another way.
    private func delivered(_ change: (inout Delivery) -> Void) -> ImageResponse {
        var (copy, changed) = (self, delivery?.value ?? Delivery())
        change(&changed)
        copy.delivery = Shared(changed)
        return copy
    }
}

extension ImageResponse {
    /// The picture, decoded and transformed.
    public var image: DecodedImage { content.value.image }

    /// The format of the original file.
    public var format: ImageFormat { content.value.format }

    /// What the origin said: status, fields, final address, validators and expiry. `nil` for a picture that did not
    /// come from an origin, and for a transformed picture from disk.
    public var origin: OriginResponse? { content.value.origin }

    /// Where the picture came from.
    public var source: ImageSource { delivery?.value.source ?? .memory }

    /// The original file, when this load read or received it; a memory hit does not carry it.
    public var original: EncodedImage? { delivery?.value.original }

    /// How long each stage took; `nil` for stages that did not run.
    public var metrics: LoadMetrics { delivery?.value.metrics ?? LoadMetrics() }

    /// What is wrong with the file that the picture was decoded from; empty for a whole file.
    public var damage: ImageDamage { image.damage }

    /// The number of the transfer that brought or confirmed the content; 0 when it was on disk before.
    var number: Int { content.value.number }

    /// Whether the original stores its pixels exactly.
    var isLossless: Bool { content.value.isLossless }

    /// The generation of the original that the picture was made from; `nil` when it is unknown.
    var generation: ContentGeneration? { content.value.generation }

    /// The picture's share of the processing budget, until the caller has the picture.
    var share: PictureShare? { delivery?.value.share }

    /// Whether both have the same picture, without a look at the pixels.
    func isSameContent(as other: ImageResponse) -> Bool { content === other.content }

    /// The response for the caller, which may keep it forever.
    var handedOver: ImageResponse {
        share == nil ? self : delivered { $0.share = nil }
    }

    /// What happened at the origin; `nil` when ``source`` says it all.
    var facts: LoadFacts? { delivery?.value.facts }

    /// The response with what happened at the origin, and what it said before.
    func noting(_ facts: LoadFacts?, _ origin: OriginResponse?) -> ImageResponse {
        var copy = delivered { $0.facts = facts }
        if self.origin == nil {
            var content = content.value
            content.origin = origin
            copy.content = Shared(content)
        }
        return copy
    }

    /// The response of a load whose origin has confirmed the picture.
    func confirmed(_ origin: OriginResponse?, number: Int, metrics: LoadMetrics) -> ImageResponse {
        var copy = delivered {
            $0.metrics = metrics
            $0.facts = .confirmed
        }
        copy.content = Shared(content.value.confirmed(origin, number: number))
        return copy
    }
}

/// Where a picture came from.
public enum ImageSource: String, Sendable, Hashable, CaseIterable {
    /// The memory cache: the picture itself, or the picture or the file that it was made from.
    case memory
    /// The disk cache: the variant itself, or the original that it was made from.
    case disk
    /// The origin.
    case network
    /// The program, which has brought the bytes or named the file.
    case program
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
