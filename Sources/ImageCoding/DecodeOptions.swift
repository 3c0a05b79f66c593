// SPDX-License-Identifier: MIT
/// How a file is decoded.
public struct DecodeOptions: Hashable, Sendable {
    /// The limits of the decode.
    ///
    /// Safe for untrusted input by default.
    public var limits: ImageLimits
    /// The frames of an animation that are wanted; ``FrameRange/all`` by default.
    ///
    /// ``ImageLimits/maximumFrameCount`` and ``ImageLimits/maximumAnimationPixelCount`` count these frames alone.
    public var frames: FrameRange
    /// Whether the frames of an animation after the first wanted one are decoded when they are asked for.
    ///
    /// `false` by default: a picture has all its frames in memory. With it, ``ImageLimits/maximumAnimationPixelCount``
    /// does not apply, and damage after that frame shows when a frame is asked for. With ``DamagePolicy/never`` all
    /// that goes through the frames in order, such as an encoder, ends before it.
    public var framesOnDemand: Bool
    /// A resize that is part of the decode; `nil` by default.
    ///
    /// The picture has the size that the transformer gives, and very nearly its pixels. It is cheaper than to decode
    /// and resize afterwards where the format can be read at a smaller size: JPEG at a half, a quarter and an eighth.
    public var thumbnail: ResizeTransformer?
    /// The most bytes of the pixels of all frames in memory; `nil` for any number, by default.
    ///
    /// A larger picture, or thumbnail, is made smaller in both directions alike, down to one pixel. Frames on demand
    /// count once.
    public var byteBudget: Int?
    /// The number of pixels to a point of a screen, which the picture carries in ``DecodedImage/scale``; changes no
    /// pixel.
    ///
    /// 1 by default.
    public var scale: Double
    /// Which damage of the file makes the decode fail.
    ///
    /// ``DamagePolicy/truncated`` by default: a picture has all its pixels.
    public var failOn: DamagePolicy
    /// Whether pixels keep the colours of an ICC profile that an encoder can write, which is in
    /// ``ImageMetadata/colorProfile`` then.
    ///
    /// `false` by default: pixels are sRGB. Other colours, such as those of CMYK, become sRGB in any case. Write such a
    /// picture with ``ImageMetadata/Parts/colorProfile`` in ``EncodeOptions/keptMetadata``: without its profile, its
    /// colours are wrong.
    public var keepsColors: Bool
    /// The declared format, for formats without a signature; `nil` by default.
    ///
    /// A signature in the bytes takes precedence.
    public var declaredFormat: ImageFormat?
    /// The conversion of the file's colours, for the decoder.
    var colors: ColorConversion?

    /// Creates options.
    ///
    /// - Parameters:
    ///   - limits: The limits of the decode.
    ///   - firstFrameOnly: Whether only the first frame of an animation is wanted, whatever `frames` says.
    ///   - frames: The frames of an animation that are wanted.
    ///   - framesOnDemand: Whether the frames of an animation after the first one are decoded when they are asked for.
    ///   - thumbnail: A resize that is part of the decode, such as `.resize(to: box, mode: .fill)`.
    ///   - byteBudget: The most bytes of the pixels of all frames in memory.
    ///   - scale: The number of pixels to a point of a screen.
    ///   - failOn: Which damage of the file makes the decode fail.
    ///   - keepsColors: Whether pixels keep the colours of their profile.
    ///   - declaredFormat: The declared format, for formats without a signature.
    public init(
        limits: ImageLimits = .default, firstFrameOnly: Bool = false, frames: FrameRange = .all,
        framesOnDemand: Bool = false, thumbnail: ResizeTransformer? = nil, byteBudget: Int? = nil, scale: Double = 1,
        failOn: DamagePolicy = .truncated, keepsColors: Bool = false, declaredFormat: ImageFormat? = nil
    ) {
        self.limits = limits
        self.frames = firstFrameOnly ? .first : frames
        self.framesOnDemand = framesOnDemand
        self.thumbnail = thumbnail
        self.byteBudget = byteBudget
        self.scale = scale
        self.failOn = failOn
        self.keepsColors = keepsColors
        self.declaredFormat = declaredFormat
    }

    /// Whether ``frames`` is the first frame alone. Setting it to `false` asks for all frames.
    public var firstFrameOnly: Bool {
        get { frames == .first }
        set { frames = newValue ? .first : .all }
    }

    /// Refuses a thumbnail box without area, a run without frames, and a scale that is none.
    func check() throws(ImageError) {
        guard scale.isFinite, scale > 0 else {
            throw ImageError(code: .invalidRequest, message: "A scale of \(scale) is no number of pixels to a point.")
        }
        guard !frames.indices.isEmpty else {
            throw ImageError(code: .invalidRequest, message: "A run of no frames has no picture.")
        }
        guard let box = thumbnail?.size else { return }
        guard box.width > 0, box.height > 0 else {
            throw ImageError(code: .invalidRequest, message: "A thumbnail of \(box) has no pixels.")
        }
    }

    /// The options with the thumbnail that the byte budget asks for.
    ///
    /// - Parameter properties: Reads the header; called with a budget only.
    func withinBudget(_ properties: () throws -> ImageProperties) rethrows -> DecodeOptions {
        guard let byteBudget else { return self }
        let properties = try properties()
        let frames = framesOnDemand ? 1 : frames.count(of: properties.frameCount)
        let size = thumbnail?.resultSize(for: properties.size) ?? properties.size
        guard size.bitmapByteCount.saturatingMultiply(frames) > byteBudget else { return self }
        var options = self
        let box = size.shrunk(toPixelCount: byteBudget / 4 / frames)
        options.thumbnail = ResizeTransformer(
            size: box, mode: thumbnail?.mode ?? .stretch, gravity: thumbnail?.gravity ?? .center,
            inLinearLight: thumbnail?.inLinearLight ?? false)
        return options
    }
}

extension PixelSize {
    /// The largest size of about the same shape with at most a number of pixels, but at least one.
    fileprivate func shrunk(toPixelCount count: Int) -> PixelSize {
        let factor = (Double(max(count, 0)) / (Double(width) * Double(height))).squareRoot()
        let (across, down) = (Int(Double(width) * factor), Int(Double(height) * factor))
        // A side below one pixel leaves more to the other one.
        return PixelSize(width: max(1, min(across, max(count, 1))), height: max(1, min(down, max(count, 1))))
    }
}
