// SPDX-License-Identifier: MIT
/// Turns pixels into files.
///
/// Conform to it to support another format, and insert the encoder at the front of ``ImageCoders/encoders``.
public protocol ImageEncoding: Sendable {
    /// Whether this encoder writes a format.
    ///
    /// - Parameter format: The requested format.
    func canEncode(_ format: ImageFormat) -> Bool

    /// Whether ``EncodeOptions/quality`` changes the size of the file, so that a search for a size makes sense.
    ///
    /// `true` by default.
    ///
    /// - Parameter format: The format and its options.
    func usesQuality(_ format: EncodedFormat) -> Bool

    /// Whether an animation stays one, instead of becoming its first frame.
    ///
    /// Unless ``EncodeOptions/firstFrameOnly`` is set, by default.
    ///
    /// - Parameter format: The format and its options.
    func animates(_ format: EncodedFormat) -> Bool

    /// Whether ``ImageCoders`` may add ``EncodeOptions/keptMetadata`` to the files, which are JPEG, PNG or WebP.
    ///
    /// `false` by default.
    var takesMetadata: Bool { get }

    /// Encodes a picture. In a format without animation, an animation becomes its first frame.
    ///
    /// Blocks its thread for the whole work; run it on a thread that may block.
    ///
    /// **Cancellation**: checked between rows or frames; throws `CancellationError`.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its options. ``ImageCoders`` takes care of ``EncodeOptions/maximumSize`` and
    ///     ``EncodeOptions/maximumByteCount``.
    /// - Throws: ``ImageError``: `.tooLarge` when the format cannot hold the size; `CancellationError`.
    func encode(_ image: DecodedImage, as format: EncodedFormat) throws -> [UInt8]

    /// The peak memory of ``encode(_:as:)``, in addition to the picture.
    ///
    /// An upper estimate: copies of the pixels, working memory of the library, and a file that compresses badly. The
    /// default implementation returns twice the pixels of all frames. It is asked before the picture is made, too: then
    /// the picture has a size, frames and no pixels.
    ///
    /// - Parameters:
    ///   - image: The picture.
    ///   - format: The format and its options.
    /// - Returns: Bytes; `.max` when the number does not fit.
    /// - Complexity: O(1).
    func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int
}

extension ImageEncoding {
    /// `true`.
    public func usesQuality(_ format: EncodedFormat) -> Bool { true }

    /// Unless only the first frame is wanted.
    public func animates(_ format: EncodedFormat) -> Bool { !format.options.firstFrameOnly }

    /// `false`.
    public var takesMetadata: Bool { false }

    /// Twice the pixels of all frames.
    public func encodingByteCount(of image: DecodedImage, as format: EncodedFormat) -> Int {
        let frames = format.options.firstFrameOnly ? 1 : image.frameCount
        return image.size.bitmapByteCount.saturatingMultiply(frames).saturatingMultiply(2)
    }
}

extension DecodedImage {
    /// Throws `.tooLarge` for a picture with a longer side than a file holds.
    ///
    /// - Parameter file: The file, as the subject of the message.
    func checkSides(atMost most: Int, of file: String) throws(ImageError) {
        guard max(width, height) <= most else {
            throw ImageError(code: .tooLarge, message: "\(file) holds \(most) pixels a side, the picture is \(size).")
        }
    }
}
