// SPDX-License-Identifier: MIT
import CImageShims

/// Turns a picture around its middle, clockwise.
///
/// Multiples of a quarter turn move pixels and change none. Other angles mix four neighbours each, bilinearly.
public struct RotateTransformer: ImageTransforming, Hashable {
    /// The angle in degrees, clockwise, at least 0 and below 360.
    let degrees: Double
    /// The colour of the corners that the turned picture does not cover.
    let background: PixelColor
    /// Whether the canvas keeps its size, so that corners are cut off.
    ///
    /// Otherwise it is as large as the turned picture.
    let keepsSize: Bool

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - degrees: The angle, clockwise; any number.
    ///   - background: The colour of uncovered corners. Transparent by default.
    ///   - keepsSize: Whether the canvas keeps its size.
    init(degrees: Double, background: PixelColor = .clear, keepsSize: Bool = false) {
        let turn = degrees.truncatingRemainder(dividingBy: 360)
        // NaN for an angle without end, which `transform` refuses. Adding may give 360 for a tiny negative angle.
        let positive = turn < 0 ? turn + 360 : turn
        self.degrees = positive == 360 ? 0 : abs(positive)
        self.background = background
        self.keepsSize = keepsSize
    }

    /// The name, the angle, the colour, and whether the size is kept.
    public var key: String { "rotate(\(degrees),\(background)\(keepsSize ? ",size" : ""))" }

    /// The size of the canvas.
    public func resultSize(for size: PixelSize) -> PixelSize {
        guard size.width > 0, size.height > 0 else { return PixelSize(width: 0, height: 0) }
        if keepsSize || !degrees.isFinite { return size }
        if let orientation { return size.turned(orientation) }
        let (sine, cosine) = (abs(direction.sine), abs(direction.cosine))
        let (width, height) = (Double(size.width), Double(size.height))
        // A hair less, because of what rounding adds.
        return PixelSize(
            width: Int(atLeastOne: (width * cosine + height * sine - 1e-6).rounded(.up)),
            height: Int(atLeastOne: (width * sine + height * cosine - 1e-6).rounded(.up)))
    }

    private var direction: (sine: Double, cosine: Double) { (sin(degrees * .pi / 180), cos(degrees * .pi / 180)) }

    /// The turn of an angle that moves whole pixels.
    private var orientation: ImageOrientation? {
        switch degrees {
        case 0: .up
        case 90: .right
        case 180: .down
        case 270: .left
        default: nil
        }
    }

    /// Turns every frame.
    ///
    /// - Throws: ``ImageError`` with `.invalidRequest` for an angle that is not a number, `.tooLarge` for a canvas
    ///   beyond the default ``ImageLimits``; `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        guard degrees.isFinite else {
            throw ImageError(code: .invalidRequest, message: "A picture cannot be turned by \(degrees) degrees.")
        }
        let size = image.size
        if let orientation, !keepsSize || orientation == .up || orientation == .down || size.width == size.height {
            return try image.turned(orientation)
        }
        let canvas = resultSize(for: size)
        try ImageLimits.default.check(canvas, frames: image.frameCount, onDemand: image.makesFramesOnDemand)
        let color = background.premultiplied
        var job = swi_turning()
        (job.width, job.height) = (Int64(size.width), Int64(size.height))
        (job.canvas_width, job.canvas_height) = (Int64(canvas.width), Int64(canvas.height))
        (job.sine, job.cosine) = direction
        job.background = (color[0], color[1], color[2], color[3])
        // Takes each pixel of the canvas from the four around its place in the picture; those outside are background.
        return try image.mapFrames(to: canvas, hasAlpha: image.hasAlpha || background.alpha < 255) { [job] pixels in
            var job = job
            return try unsafe Bitmap.draw(canvas) { target in
                guard let start = target.baseAddress else { return }
                for y in 0..<canvas.height {
                    if y % 16 == 0 { try Task.checkCancellation() }
                    unsafe swi_turn_row(pixels, &job, Int64(y), start)
                }
            }
        }
    }
}

extension ImageTransforming where Self == RotateTransformer {
    /// Turns a picture clockwise.
    ///
    /// - Parameters:
    ///   - degrees: The angle, clockwise; any number.
    ///   - background: The colour of uncovered corners.
    ///   - keepsSize: Whether the canvas keeps its size.
    public static func rotate(
        degrees: Double, background: PixelColor = .clear, keepsSize: Bool = false
    ) -> RotateTransformer {
        RotateTransformer(degrees: degrees, background: background, keepsSize: keepsSize)
    }
}

/// Mirrors a picture.
public struct FlipTransformer: ImageTransforming, Hashable {
    /// The direction in which a picture is mirrored.
    public enum Axis: String, Hashable, Sendable, CaseIterable {
        /// Left becomes right.
        case horizontal
        /// Top becomes bottom.
        case vertical
    }

    /// The direction.
    let axis: Axis

    /// The name and the direction.
    public var key: String { "flip(\(axis.rawValue))" }

    /// Mirrors every frame.
    ///
    /// - Throws: `CancellationError`.
    public func transform(_ image: DecodedImage) throws -> DecodedImage {
        try image.turned(axis == .horizontal ? .upMirrored : .downMirrored)
    }
}

extension ImageTransforming where Self == FlipTransformer {
    /// Mirrors a picture.
    ///
    /// - Parameter axis: The direction in which it is mirrored.
    public static func flip(_ axis: FlipTransformer.Axis) -> FlipTransformer { FlipTransformer(axis: axis) }
}
