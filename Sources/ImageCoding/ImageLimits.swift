/// Bounds what one picture may cost.
///
/// Checked from the header before memory is taken, and again during the work.
///
/// Every limit applies to thumbnails too: a small result does not make a huge source cheap to read.
public struct ImageLimits: Hashable, Sendable {
    /// Largest `width * height` of one frame, in pixels.
    ///
    /// 50 million by default.
    public var maxPixels: Int
    /// Largest width and largest height, in pixels.
    ///
    /// 65,500 by default.
    public var maxSide: Int
    /// Most frames in an animation.
    ///
    /// 256 by default.
    public var maxFrames: Int
    /// Largest `frames * width * height` of an animation, in pixels.
    ///
    /// 250 million by default.
    public var maxAnimationPixels: Int
    /// Most scans in a progressive JPEG.
    ///
    /// 100 by default.
    public var maxScans: Int
    /// Most bytes of one block of metadata that is looked into, such as EXIF.
    ///
    /// 1 MiB by default; what is larger is skipped.
    public var maxMetadataByteCount: Int

    /// Makes limits; each has a safe default for pictures from strangers.
    ///
    /// - Parameters:
    ///   - maxPixels: Largest `width * height` of one frame, in pixels.
    ///   - maxSide: Largest width and largest height, in pixels.
    ///   - maxFrames: Most frames in an animation.
    ///   - maxAnimationPixels: Largest `frames * width * height` of an animation, in pixels.
    ///   - maxScans: Most scans in a progressive JPEG.
    ///   - maxMetadataByteCount: Most bytes of one block of metadata that is looked into.
    public init(
        maxPixels: Int = 50_000_000, maxSide: Int = 65_500, maxFrames: Int = 256,
        maxAnimationPixels: Int = 250_000_000, maxScans: Int = 100, maxMetadataByteCount: Int = 1 << 20
    ) {
        self.maxPixels = maxPixels
        self.maxSide = maxSide
        self.maxFrames = maxFrames
        self.maxAnimationPixels = maxAnimationPixels
        self.maxScans = maxScans
        self.maxMetadataByteCount = maxMetadataByteCount
    }

    /// The limits with their default values.
    public static let `default` = ImageLimits()
}

extension ImageLimits {
    /// Checks the size of one frame.
    ///
    /// - Throws: `.malformed` for a side below one, `.tooLarge` beyond a limit.
    func check(width: Int, height: Int) throws(ImageError) {
        guard width > 0, height > 0 else {
            throw ImageError(.malformed, "The picture is \(width) by \(height) pixels: nothing to show.")
        }
        guard width <= maxSide, height <= maxSide else {
            throw ImageError(.tooLarge, "\(width) by \(height) pixels: a side may have \(maxSide) at most.")
        }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= maxPixels else {
            throw ImageError(.tooLarge, "\(width) by \(height) pixels: a frame may have \(maxPixels) at most.")
        }
    }

    /// Checks the size of a canvas that `frames` frames are drawn on.
    ///
    /// - Throws: What ``check(width:height:)`` throws; `.tooLarge` for too many frames or too many pixels in all.
    func check(width: Int, height: Int, frames: Int) throws(ImageError) {
        try check(width: width, height: height)
        guard frames > 1 else { return }
        guard frames <= maxFrames else {
            throw ImageError(.tooLarge, "\(frames) frames: an animation may have \(maxFrames) at most.")
        }
        let (pixels, overflow) = (width * height).multipliedReportingOverflow(by: frames)
        guard !overflow, pixels <= maxAnimationPixels else {
            throw ImageError(
                .tooLarge,
                "\(frames) frames of \(width) by \(height): an animation may have \(maxAnimationPixels) pixels at most."
            )
        }
    }
}
