/// What becomes of the frames a decoder draws: made smaller for a thumbnail, then turned upright.
///
/// Sizes alone: a plan takes no memory and may be made for any header.
struct FramePlan: Sendable {
    /// The decoder draws at `1 / denominator` of the stored size, each side rounded up.
    let denominator: Int
    /// The size the decoder draws, as stored.
    let drawn: PixelSize
    /// The size of the result, upright.
    let result: PixelSize
    private let stored: PixelSize
    private let target: PixelSize
    private let orientation: ImageOrientation

    /// Plans the frames of one file.
    ///
    /// - Parameters:
    ///   - stored: The size in the file, as stored, both sides at least 1.
    ///   - denominators: How much smaller the decoder can draw, largest first. The first that leaves at least twice the
    ///     pixels wanted is taken.
    ///   - orientation: How the stored pixels must be turned.
    ///   - thumbnail: The box the upright result is made to fit.
    init(
        stored: PixelSize, denominators: [Int] = [], orientation: ImageOrientation, thumbnail: PixelSize?
    ) {
        let target = thumbnail.map { stored.fitted(into: $0.turned(orientation), enlarging: false) } ?? stored
        let denominator = denominators.first {
            stored.width / $0 >= target.width.saturatingMultiply(2)
                && stored.height / $0 >= target.height.saturatingMultiply(2)
        }
        self.stored = stored
        self.target = target
        self.orientation = orientation
        self.denominator = denominator ?? 1
        drawn = PixelSize(
            width: (stored.width + self.denominator - 1) / self.denominator,
            height: (stored.height + self.denominator - 1) / self.denominator)
        result = target.turned(orientation)
    }

    /// Makes what shrinks drawn frames, or `nil` when they are as large as the result.
    func resampler() -> Resampler? {
        if target == drawn { return nil }
        // A side that was rounded up holds a little more than the picture.
        let extent = (Double(stored.width) / Double(denominator), Double(stored.height) / Double(denominator))
        return Resampler(source: drawn, window: (0, 0, extent.0, extent.1), target: target)
    }

    /// Makes the final pixels of one frame.
    ///
    /// - Parameter resampler: What ``resampler()`` made, once for all frames.
    func finish(_ pixels: [UInt8], _ resampler: Resampler?) throws -> [UInt8] {
        let resized = try resampler?.resample(pixels) ?? pixels
        return try Bitmap.turned(resized, size: target, orientation)
    }

    /// The most bytes that finishing one frame takes beyond the drawn one: the results of shrinking and turning, and the
    /// resampler's rows and weights.
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
