/// What becomes of the frames a decoder draws: made smaller for a thumbnail, then turned upright.
struct FramePlan: Sendable {
    /// The size the decoder draws, as stored.
    let drawn: PixelSize
    /// The size of the result, upright.
    let result: PixelSize
    private let orientation: ImageOrientation
    private let resampler: Resampler?

    /// Plans the frames of one file.
    ///
    /// - Parameters:
    ///   - stored: The size in the file, as stored.
    ///   - denominator: The decoder draws at `1 / denominator` of the stored size, each side rounded up.
    ///   - orientation: How the stored pixels must be turned.
    ///   - thumbnail: The box the upright result is made to fit.
    init(stored: PixelSize, denominator: Int = 1, orientation: ImageOrientation, thumbnail: PixelSize?) {
        self.orientation = orientation
        drawn = PixelSize(
            width: (stored.width + denominator - 1) / denominator,
            height: (stored.height + denominator - 1) / denominator)
        let target = FramePlan.target(stored: stored, orientation: orientation, thumbnail: thumbnail)
        result = target.turned(orientation)
        if target == drawn {
            resampler = nil
        } else {
            // A side that was rounded up holds a little more than the picture.
            let extent = (Double(stored.width) / Double(denominator), Double(stored.height) / Double(denominator))
            resampler = Resampler(source: drawn, window: (0, 0, extent.0, extent.1), target: target)
        }
    }

    /// The size to shrink to, as stored.
    static func target(stored: PixelSize, orientation: ImageOrientation, thumbnail: PixelSize?) -> PixelSize {
        guard let thumbnail else { return stored }
        return stored.fitted(into: thumbnail.turned(orientation), enlarging: false)
    }

    /// Makes the final pixels of one frame.
    func finish(_ pixels: [UInt8]) throws -> [UInt8] {
        let resized = try resampler?.resample(pixels) ?? pixels
        return try Bitmap.turned(resized, size: result.turned(orientation), orientation)
    }
}
