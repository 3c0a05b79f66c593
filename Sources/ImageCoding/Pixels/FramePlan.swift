/// The plan for the frames that a decoder draws: made smaller for a thumbnail, then turned upright.
///
/// It only holds sizes: a plan allocates no pixels and may be made for any header.
struct FramePlan: Sendable {
    /// The decoder draws at `1 / denominator` of the stored size, each side rounded up.
    let denominator: Int
    /// The size the decoder draws, as stored.
    let drawn: PixelSize
    /// The size of the result, upright.
    let result: PixelSize
    /// The part of the drawn pixels that shows the picture; a side that was rounded up is a little longer.
    private let extent: (width: Double, height: Double)
    private let target: PixelSize
    /// How the pixels must be turned after they were drawn and made smaller.
    private let orientation: ImageOrientation
    /// How the decoder places the pixels it draws.
    let turnWhileDrawing: Turn
    /// The size of the bitmap the decoder draws on.
    let bitmap: PixelSize

    /// Creates a plan for the frames of one file.
    ///
    /// - Parameters:
    ///   - stored: The size in the file, as stored, both sides at least 1.
    ///   - denominators: The divisors at which the decoder can draw, largest first. The first one with at least twice
    ///     the requested pixels is used.
    ///   - orientation: How the stored pixels must be turned.
    ///   - thumbnail: The box into which the upright result is fitted.
    ///   - turnsWhileDrawing: Whether the decoder can turn a picture that is not made smaller, without a second bitmap.
    ///   - scalesWhole: Whether the decoder scales the picture to the rounded size, instead of padding its edges.
    init(
        stored: PixelSize, denominators: [Int] = [], orientation: ImageOrientation, thumbnail: PixelSize?,
        turnsWhileDrawing: Bool = false, scalesWhole: Bool = false
    ) {
        let target = thumbnail.map { stored.fitted(into: $0.turned(orientation), enlarging: false) } ?? stored
        let denominator = denominators.first {
            stored.width / $0 >= target.width.saturatingMultiply(2)
                && stored.height / $0 >= target.height.saturatingMultiply(2)
        }
        let divisor = denominator ?? 1
        let drawn = PixelSize(
            width: (stored.width + divisor - 1) / divisor, height: (stored.height + divisor - 1) / divisor)
        let isTurnedWhileDrawing = turnsWhileDrawing && target == drawn
        self.denominator = divisor
        self.drawn = drawn
        self.target = target
        self.orientation = isTurnedWhileDrawing ? .up : orientation
        result = target.turned(orientation)
        bitmap = isTurnedWhileDrawing ? result : drawn
        turnWhileDrawing = Turn(isTurnedWhileDrawing ? orientation : .up, of: drawn)
        extent =
            scalesWhole
            ? (Double(drawn.width), Double(drawn.height))
            : (Double(stored.width) / Double(divisor), Double(stored.height) / Double(divisor))
    }

    /// Makes the resampler for drawn frames, or `nil` when they are as large as the result.
    func resampler() -> Resampler? {
        if target == drawn { return nil }
        return Resampler(source: drawn, window: (0, 0, extent.width, extent.height), target: target)
    }

    /// Makes the final pixels of one frame.
    ///
    /// - Parameter resampler: The result of ``resampler()``, one for all frames.
    func finish(_ pixels: [UInt8], _ resampler: Resampler?) throws -> [UInt8] {
        try Bitmap.turned(try resampler?.resample(pixels) ?? pixels, size: target, orientation)
    }

    /// The most bytes that finishing one frame takes beyond the drawn one: the results of shrinking and turning, and
    /// the resampler's rows and weights.
    var finishingByteCount: Int {
        let shrunk = target == drawn ? 0 : target.bitmapByteCount.saturatingAdd(rowByteCount)
        return shrunk.saturatingAdd(orientation == .up ? 0 : target.bitmapByteCount)
    }

    /// A row of the source and about eight of the result in floating point; six weights for each side of the source.
    private var rowByteCount: Int {
        (drawn.width + 8 * target.width).saturatingMultiply(16)
            .saturatingAdd((drawn.width + drawn.height + target.width + target.height).saturatingMultiply(40))
    }
}
