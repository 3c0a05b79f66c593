/// How a file is decoded.
public struct DecodeOptions: Hashable, Sendable {
    /// The limits of the decode.
    ///
    /// Safe for untrusted input by default.
    public var limits: ImageLimits
    /// Whether only the first frame of an animation is wanted.
    ///
    /// `false` by default.
    public var firstFrameOnly: Bool
    /// A box into which the picture is fitted, with its shape kept and without enlarging; `nil` by default.
    ///
    /// Cheaper than decoding and resizing afterwards where the format can be read at a smaller size (JPEG).
    public var thumbnail: PixelSize?
    /// The declared format, for formats without a signature; `nil` by default.
    ///
    /// A signature in the bytes takes precedence.
    public var declaredFormat: ImageFormat?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - limits: The limits of the decode.
    ///   - firstFrameOnly: Whether only the first frame of an animation is wanted.
    ///   - thumbnail: A box into which the picture is fitted, without enlarging.
    ///   - declaredFormat: The declared format, for formats without a signature.
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
            throw ImageError(code: .invalidRequest, message: "A thumbnail of \(thumbnail) has no pixels.")
        }
    }
}
