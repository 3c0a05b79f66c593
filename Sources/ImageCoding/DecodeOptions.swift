/// Says how a file is to be decoded.
public struct DecodeOptions: Hashable, Sendable {
    /// What the picture may cost.
    ///
    /// Safe for pictures from strangers by default.
    public var limits: ImageLimits
    /// Whether only the first frame of an animation is wanted.
    ///
    /// `false` by default.
    public var firstFrameOnly: Bool
    /// A box the picture is made to fit, keeping its shape and never enlarging it; `nil` by default.
    ///
    /// Cheaper than decoding and resizing afterwards where the format can be read at a smaller size (JPEG).
    public var thumbnail: PixelSize?
    /// What the file is said to be, for formats that have no signature; `nil` by default.
    ///
    /// A signature in the bytes wins.
    public var declaredFormat: ImageFormat?

    /// Makes options.
    ///
    /// - Parameters:
    ///   - limits: What the picture may cost.
    ///   - firstFrameOnly: Whether only the first frame of an animation is wanted.
    ///   - thumbnail: A box the picture is made to fit, never enlarging it.
    ///   - declaredFormat: What the file is said to be, for formats that have no signature.
    public init(
        limits: ImageLimits = .default, firstFrameOnly: Bool = false, thumbnail: PixelSize? = nil,
        declaredFormat: ImageFormat? = nil
    ) {
        self.limits = limits
        self.firstFrameOnly = firstFrameOnly
        self.thumbnail = thumbnail
        self.declaredFormat = declaredFormat
    }

    /// Refuses a thumbnail box without area.
    func check() throws(ImageError) {
        guard let thumbnail else { return }
        guard thumbnail.width > 0, thumbnail.height > 0 else {
            throw ImageError(.invalidRequest, "A thumbnail of \(thumbnail) has no pixels.")
        }
    }
}
