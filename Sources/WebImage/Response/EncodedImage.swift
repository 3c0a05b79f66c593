// SPDX-License-Identifier: MIT
public import ImageCoding

/// A picture as a file: bytes in a known format, with the size they decode to.
public struct EncodedImage: Sendable {
    /// The file.
    public var bytes: [UInt8]
    /// The format of the file.
    public var format: ImageFormat
    /// The width in pixels, orientation applied.
    public var width: Int
    /// The height in pixels, orientation applied.
    public var height: Int
    /// The number of frames in the file; 1 for a still picture.
    public var frameCount: Int
    /// Where the picture came from.
    public var source: ImageSource
    /// What the origin said about the original; `nil` when it is unknown.
    public var origin: OriginResponse?
    /// The number of the transfer that brought or confirmed the content; 0 when it was on disk before.
    var number = 0
    /// The content of the original that the file is, or was made from; `nil` when it is unknown.
    var generation: ContentGeneration?
    /// What happened at the origin; `nil` when ``source`` says it all.
    var facts: LoadFacts?

    /// The media type, for a `Content-Type` field.
    public var contentType: String { format.mimeType }

    /// Creates a value.
    public init(
        bytes: [UInt8], format: ImageFormat, width: Int, height: Int, frameCount: Int, source: ImageSource,
        origin: OriginResponse? = nil
    ) {
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.frameCount = frameCount
        self.source = source
        self.origin = origin
    }

    func from(_ source: ImageSource) -> EncodedImage {
        var copy = self
        copy.source = source
        copy.facts = nil
        return copy
    }

    /// The file of a load whose origin has confirmed it.
    func confirmed(_ origin: OriginResponse?, number: Int, metrics _: LoadMetrics = .init()) -> EncodedImage {
        var copy = self
        copy.origin = origin ?? self.origin
        copy.number = number
        copy.facts = .confirmed
        return copy
    }
}
