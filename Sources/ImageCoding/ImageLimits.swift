// SPDX-License-Identifier: MIT
/// The limits of the cost of one picture.
///
/// They are checked from the header before memory is allocated, and again during the work.
///
/// They apply to thumbnails too: a small result does not make a huge source cheap to read. ``maximumPixelCount`` alone
/// counts what is held, so a picture beyond it may be read as a thumbnail where its format is drawn row by row. A limit
/// may be any number: zero and negative numbers refuse everything, `.max` allows everything.
public struct ImageLimits: Hashable, Sendable {
    /// Largest number of pixels that are held of one frame, in one bitmap.
    ///
    /// 50 million by default. A frame that is drawn whole has `width * height`. For a thumbnail, JPEG, PNG, BMP, TIFF
    /// and a GIF of one frame are drawn row by row: what counts is the thumbnail, or the rows of the picture that one
    /// row of it is made from, whichever are more. A thumbnail of `height` rows needs about `6 / height` of the rows.
    /// ``maximumDrawnPixelCount`` bounds the whole picture.
    ///
    /// Animations, interlaced PNG, HEIC, AVIF and JPEG XL are always drawn whole, and so is each strip or row of tiles
    /// of a TIFF. A still WebP of up to 100 million pixels is drawn at a half, a quarter or an eighth of its sides for
    /// a thumbnail.
    public var maximumPixelCount: Int
    /// Largest width and largest height, in pixels.
    ///
    /// 65,500 by default.
    public var maximumSide: Int
    /// Most frames of an animation, of those that ``DecodeOptions/frames`` asks for.
    ///
    /// 10,000 by default.
    public var maximumFrameCount: Int
    /// Largest `frames * width * height` of an animation, in pixels, of the frames that are asked for and kept.
    ///
    /// 50 million by default.
    public var maximumAnimationPixelCount: Int
    /// Most bytes of memory that one decode may take in addition to the file.
    ///
    /// Counts the pixels of the result, the working memory of the library and the copies made for turning and
    /// shrinking. It is estimated from the header before anything is allocated; see
    /// ``ImageDecoding/decodingByteCount(of:options:)``. A picture beyond it may fit as a thumbnail. 224 million by
    /// default: a frame of ``maximumPixelCount``, and what is needed to draw it.
    public var maximumByteCount: Int
    /// Most pixels that one decode may draw, counting each scan, each pass and each frame.
    ///
    /// Every scan of a progressive JPEG counts as the whole picture. The first drawing of a frame is counted from its
    /// header, before anything is allocated. 1 billion by default.
    public var maximumDrawnPixelCount: Int
    /// Most processor time that one decode may take, in addition to a quarter of a second for each megabyte of the
    /// file.
    ///
    /// Counts the processor time of the decoding thread, without waits, and without the resizing of a picture within
    /// ``maximumPixelCount``. 1.75 seconds by default, so that a file of a megabyte ends within two seconds.
    public var maximumProcessorTime: Duration
    /// Most scans in a progressive JPEG.
    ///
    /// 100 by default.
    public var maximumScanCount: Int
    /// Most bytes of one block of metadata that is read, such as EXIF.
    ///
    /// 1 MiB by default; larger blocks are skipped.
    public var maximumMetadataByteCount: Int

    /// Creates limits. Each has a safe default for untrusted input.
    ///
    /// - Parameters:
    ///   - maximumPixelCount: Largest number of pixels that are held of one frame.
    ///   - maximumSide: Largest width and largest height, in pixels.
    ///   - maximumFrameCount: Most frames in an animation.
    ///   - maximumAnimationPixelCount: Largest `frames * width * height` of an animation, in pixels.
    ///   - maximumByteCount: Most bytes of memory that one decode may take in addition to the file.
    ///   - maximumDrawnPixelCount: Most pixels that one decode may draw, counting each scan, pass and frame.
    ///   - maximumProcessorTime: Most processor time of a decode, in addition to 0.25 s for each megabyte of the file.
    ///   - maximumScanCount: Most scans in a progressive JPEG.
    ///   - maximumMetadataByteCount: Most bytes of one block of metadata that is read.
    public init(
        maximumPixelCount: Int = 50_000_000, maximumSide: Int = 65_500, maximumFrameCount: Int = 10_000,
        maximumAnimationPixelCount: Int = 50_000_000, maximumByteCount: Int = 224_000_000,
        maximumDrawnPixelCount: Int = 1_000_000_000, maximumProcessorTime: Duration = .milliseconds(1_750),
        maximumScanCount: Int = 100, maximumMetadataByteCount: Int = 1 << 20
    ) {
        self.maximumPixelCount = maximumPixelCount
        self.maximumSide = maximumSide
        self.maximumFrameCount = maximumFrameCount
        self.maximumAnimationPixelCount = maximumAnimationPixelCount
        self.maximumByteCount = maximumByteCount
        self.maximumDrawnPixelCount = maximumDrawnPixelCount
        self.maximumProcessorTime = maximumProcessorTime
        self.maximumScanCount = maximumScanCount
        self.maximumMetadataByteCount = maximumMetadataByteCount
    }

    /// The limits with their default values.
    public static let `default` = ImageLimits()
}

extension ImageLimits {
    /// Checks the sides of one frame.
    ///
    /// - Throws: `.malformed` for a side below one, `.tooLarge` beyond the limit.
    func checkSides(_ size: PixelSize) throws(ImageError) {
        guard size.width > 0, size.height > 0 else {
            throw ImageError(code: .malformed, message: "The picture is \(size) pixels: nothing to show.")
        }
        guard max(size.width, size.height) <= maximumSide else {
            throw ImageError(code: .tooLarge, message: "\(size) pixels: a side may have \(maximumSide) at most.")
        }
    }

    /// Checks the size of one frame that is drawn whole.
    ///
    /// - Parameter subject: What is drawn whole for a thumbnail too, for the error.
    /// - Throws: `.malformed` for a side below one, `.tooLarge` beyond a limit.
    func check(_ size: PixelSize, whole subject: String? = nil) throws(ImageError) {
        try checkSides(size)
        guard size.pixelCount <= maximumPixelCount else { throw tooLarge(size, whole: subject) }
    }

    /// The error of a frame that is drawn whole.
    func tooLarge(_ size: PixelSize, whole subject: String?) -> ImageError {
        let reason = subject.map { " \($0) is drawn whole for a thumbnail too." } ?? ""
        return ImageError(
            code: .tooLarge, message: "\(size) pixels: a frame may have \(maximumPixelCount) at most.\(reason)",
            advice: "Raise ImageLimits.maximumPixelCount.")
    }

    /// Checks the size of a canvas that `frames` frames are drawn on, all of them kept or each on demand.
    ///
    /// - Throws: What ``check(_:whole:)`` throws; `.tooLarge` for too many frames or too many pixels in all.
    func check(
        _ size: PixelSize, frames: Int, onDemand: Bool = false, whole subject: String? = nil
    ) throws(ImageError) {
        try check(size, whole: frames > 1 ? "An animation" : subject)
        guard frames > 1 else { return }
        guard frames <= maximumFrameCount else {
            throw ImageError(
                code: .tooLarge, message: "\(frames) frames: an animation may have \(maximumFrameCount) at most.")
        }
        guard onDemand || size.pixelCount.saturatingMultiply(frames) <= maximumAnimationPixelCount else {
            throw ImageError(
                code: .tooLarge,
                message: """
                    \(frames) frames of \(size): an animation may have \(maximumAnimationPixelCount) pixels at most.
                    """)
        }
    }

    /// Checks the memory of a decode before it allocates.
    ///
    /// - Throws: `.memoryLimitExceeded`.
    func check(byteCount: Int) throws(ImageError) {
        guard byteCount <= maximumByteCount else {
            throw ImageError(
                code: .memoryLimitExceeded,
                message: "Decoding would take \(byteCount) bytes of memory, \(maximumByteCount) are allowed.",
                advice: "Ask for a thumbnail, or raise ImageLimits.maximumByteCount.")
        }
    }
}
