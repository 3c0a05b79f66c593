/// Bounds what one picture may cost.
///
/// Checked from the header before memory is taken, and again during the work.
///
/// Every limit applies to thumbnails too: a small result does not make a huge source cheap to read.
public struct ImageLimits: Hashable, Sendable {
    /// Largest `width * height` of one frame, in pixels.
    ///
    /// 50 million by default.
    public var maximumPixelCount: Int
    /// Largest width and largest height, in pixels.
    ///
    /// 65,500 by default.
    public var maximumSide: Int
    /// Most frames in an animation.
    ///
    /// 256 by default.
    public var maximumFrameCount: Int
    /// Largest `frames * width * height` of an animation, in pixels.
    ///
    /// 250 million by default.
    public var maximumAnimationPixelCount: Int
    /// Most scans in a progressive JPEG.
    ///
    /// 100 by default.
    public var maximumScanCount: Int
    /// Most bytes of one block of metadata that is looked into, such as EXIF.
    ///
    /// 1 MiB by default; what is larger is skipped.
    public var maximumMetadataByteCount: Int

    /// Makes limits; each has a safe default for pictures from strangers.
    ///
    /// - Parameters:
    ///   - maximumPixelCount: Largest `width * height` of one frame, in pixels.
    ///   - maximumSide: Largest width and largest height, in pixels.
    ///   - maximumFrameCount: Most frames in an animation.
    ///   - maximumAnimationPixelCount: Largest `frames * width * height` of an animation, in pixels.
    ///   - maximumScanCount: Most scans in a progressive JPEG.
    ///   - maximumMetadataByteCount: Most bytes of one block of metadata that is looked into.
    public init(
        maximumPixelCount: Int = 50_000_000, maximumSide: Int = 65_500, maximumFrameCount: Int = 256,
        maximumAnimationPixelCount: Int = 250_000_000, maximumScanCount: Int = 100,
        maximumMetadataByteCount: Int = 1 << 20
    ) {
        self.maximumPixelCount = maximumPixelCount
        self.maximumSide = maximumSide
        self.maximumFrameCount = maximumFrameCount
        self.maximumAnimationPixelCount = maximumAnimationPixelCount
        self.maximumScanCount = maximumScanCount
        self.maximumMetadataByteCount = maximumMetadataByteCount
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
        guard width <= maximumSide, height <= maximumSide else {
            throw ImageError(.tooLarge, "\(width) by \(height) pixels: a side may have \(maximumSide) at most.")
        }
        let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
        guard !overflow, pixels <= maximumPixelCount else {
            throw ImageError(.tooLarge, "\(width) by \(height) pixels: a frame may have \(maximumPixelCount) at most.")
        }
    }

    /// Checks the size of a canvas that `frames` frames are drawn on.
    ///
    /// - Throws: What ``check(width:height:)`` throws; `.tooLarge` for too many frames or too many pixels in all.
    func check(width: Int, height: Int, frames: Int) throws(ImageError) {
        try check(width: width, height: height)
        guard frames > 1 else { return }
        guard frames <= maximumFrameCount else {
            throw ImageError(.tooLarge, "\(frames) frames: an animation may have \(maximumFrameCount) at most.")
        }
        let (pixels, overflow) = (width * height).multipliedReportingOverflow(by: frames)
        guard !overflow, pixels <= maximumAnimationPixelCount else {
            throw ImageError(
                .tooLarge,
                "\(frames) frames of \(width) by \(height): an animation may have \(maximumAnimationPixelCount) pixels at most."
            )
        }
    }
}
