// SPDX-License-Identifier: MIT
/// Resizes with a Lanczos filter on premultiplied values: those of sRGB, or of light.
public struct ResizeTransformer: ImageTransforming, Hashable {
    /// What to do when the picture and the box differ in shape.
    public enum Mode: String, Hashable, Sendable {
        /// Keeps the whole picture and its shape: one side may be shorter than the box.
        case fit
        /// Keeps the shape and fills the box: the excess is cut off, equally on both sides unless there is a gravity.
        case fill
        /// Keeps the whole picture and its shape, and covers the box: one side may be longer than the box.
        case cover
        /// Keeps the whole picture and fills the box: the shape changes.
        case stretch
    }

    /// The box, in pixels.
    package let size: PixelSize
    /// What to do when the shapes differ.
    package let mode: Mode
    /// Whether a picture smaller than the box grows.
    ///
    /// If `false`, no side gets longer. A box to fill or to stretch to then shrinks until it fits into the picture, and
    /// keeps its shape.
    package let allowsEnlarging: Bool
    /// Which part is kept when a picture fills the box.
    package let gravity: Gravity
    /// Whether the filter adds up light instead of sRGB values.
    ///
    /// Fine patterns of bright and dark then keep their brightness. Costs some times as much, also because no decoder
    /// draws a smaller picture for it.
    package let inLinearLight: Bool
    /// Whether a box that must not grow keeps its shape; not in the first part of a resize that enlarges.
    var keepsShape = true

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - size: The box, in pixels, both sides at least 1.
    ///   - mode: What to do when the shapes differ.
    ///   - allowsEnlarging: Whether a picture smaller than the box grows.
    ///   - gravity: Which part is kept when a picture fills the box. The middle by default.
    ///   - inLinearLight: Whether the filter adds up light instead of sRGB values.
    public init(
        size: PixelSize, mode: Mode = .fit, allowsEnlarging: Bool = false, gravity: Gravity = .center,
        inLinearLight: Bool = false
    ) {
        self.size = size
        self.mode = mode
        self.allowsEnlarging = allowsEnlarging
        self.gravity = gravity
        self.inLinearLight = inLinearLight
    }

    /// The name, the box, the mode, whether it enlarges, a gravity that is not the middle, and linear light.
    public var key: String {
        let place = gravity == .center ? "" : ",\(gravity)"
        let light = inLinearLight ? ",linear" : ""
        return "resize(\(size),\(mode.rawValue)\(allowsEnlarging ? ",enlarging" : "")\(place)\(light))"
    }

    /// The size that fits or fills the box; none for a box or a picture without area.
    public func resultSize(for source: PixelSize) -> PixelSize {
        guard size.width > 0, size.height > 0, source.width > 0, source.height > 0 else {
            return PixelSize(width: 0, height: 0)
        }
        return plan(for: source).target
    }

    /// Resizes every frame.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for a box without area, `.tooLarge` when enlarging beyond the
    ///   default ``ImageLimits``; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        guard size.width > 0, size.height > 0 else {
            throw ImageError(code: .invalidRequest, message: "A box of \(size) has no pixels to resize to.")
        }
        let (target, window) = plan(for: image.size)
        if target == image.size, window == .whole(image.size) { return image }
        if target.width > image.width || target.height > image.height {
            try ImageLimits.default.check(target, frames: image.frameCount, onDemand: image.makesFramesOnDemand)
        }
        let resampler = Resampler(
            source: image.size, window: window, target: target, inLinearLight: inLinearLight)
        return try image.mapFrames(to: target) { try resampler.resample($0) }
    }

    /// The size of the result and the part of the picture it shows.
    ///
    /// - Parameter source: The size of the picture, with area; the box has area too.
    func plan(for source: PixelSize) -> (target: PixelSize, window: ResamplingWindow) {
        let whole = ResamplingWindow.whole(source)
        switch mode {
        case .fit:
            return (source.fitted(into: size, enlarging: allowsEnlarging), whole)
        case .cover:
            return (source.covering(size, enlarging: allowsEnlarging), whole)
        case .stretch where allowsEnlarging || keepsShape:
            return (limitedSize(for: source), whole)
        case .stretch:
            return (
                PixelSize(width: min(size.width, source.width), height: min(size.height, source.height)), whole
            )
        case .fill:
            let size = keepsShape ? limitedSize(for: source) : size
            let covering = source.covering(size, enlarging: allowsEnlarging)
            let target = PixelSize(
                width: min(size.width, covering.width), height: min(size.height, covering.height))
            let width = whole.width * Double(target.width) / Double(covering.width)
            let height = whole.height * Double(target.height) / Double(covering.height)
            let window = ResamplingWindow(
                x: (whole.width - width) * gravity.x, y: (whole.height - height) * gravity.y, width: width,
                height: height)
            return (target, window)
        }
    }

    /// The box, which keeps its shape where a side of the picture is shorter and must not grow.
    ///
    /// A side is rounded up, so that the box is the same for a picture that already has the result's size.
    private func limitedSize(for source: PixelSize) -> PixelSize {
        if allowsEnlarging || size.width <= source.width && size.height <= source.height { return size }
        let width = Double(size.width) * Double(source.height) / Double(size.height)
        let height = Double(size.height) * Double(source.width) / Double(size.width)
        return PixelSize(
            width: min(source.width, Int(atLeastOne: width.rounded(.up))),
            height: min(source.height, Int(atLeastOne: height.rounded(.up))))
    }
}

extension ImageTransforming where Self == ResizeTransformer {
    /// Resizes to a box in pixels.
    ///
    /// - Parameters:
    ///   - size: The box, in pixels.
    ///   - mode: What to do when the shapes differ.
    ///   - allowsEnlarging: Whether a picture smaller than the box grows.
    ///   - gravity: Which part is kept when a picture fills the box.
    ///   - inLinearLight: Whether the filter adds up light instead of sRGB values.
    public static func resize(
        to size: PixelSize, mode: ResizeTransformer.Mode = .fit, allowsEnlarging: Bool = false,
        gravity: Gravity = .center, inLinearLight: Bool = false
    ) -> ResizeTransformer {
        ResizeTransformer(
            size: size, mode: mode, allowsEnlarging: allowsEnlarging, gravity: gravity, inLinearLight: inLinearLight)
    }
}

extension ResizeTransformer {
    /// The part of the work that a decoder does at its best: everything but enlarging.
    ///
    /// Applied to its result, the transformer gives what it gives for the whole picture.
    var shrinking: ResizeTransformer {
        var first = ResizeTransformer(size: size, mode: mode, gravity: gravity, inLinearLight: inLinearLight)
        first.keepsShape = keepsShape && !allowsEnlarging
        return first
    }

    /// Divides transformers into a resize that a decoder does while it decodes, and the transformers that remain.
    ///
    /// A decoder reads a picture at a smaller size in a fraction of the time and memory. It never enlarges, so a resize
    /// that may enlarge is among the rest too.
    ///
    /// - Parameter transformers: In the order they are applied.
    /// - Returns: The value for ``DecodeOptions/thumbnail``, and what to apply to the decoded picture, without
    ///   pipelines around it. No thumbnail if the first transformer is another one, or its box has no area.
    package static func leading(
        _ transformers: [any ImageTransforming]
    ) -> (thumbnail: ResizeTransformer?, rest: [any ImageTransforming]) {
        let transformers = TransformerPipeline(transformers).steps
        if let crop = transformers.first as? SmartCropTransformer, crop.size.width > 0, crop.size.height > 0 {
            return (ResizeTransformer(size: crop.size, mode: .cover), transformers)
        }
        guard let resize = transformers.first as? ResizeTransformer, resize.size.width > 0, resize.size.height > 0
        else { return (nil, transformers) }
        return (resize.shrinking, resize.allowsEnlarging ? transformers : Array(transformers.dropFirst()))
    }
}
