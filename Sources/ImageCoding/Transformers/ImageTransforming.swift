// SPDX-License-Identifier: MIT
/// Makes one picture from another.
///
/// A transformer is a value with a ``key`` that describes it completely. Equal keys promise equal results, and
/// different results need different keys, because keys name cached pictures.
public protocol ImageTransforming: Sendable {
    /// A stable text that names the transformer and every parameter that changes the result.
    var key: String { get }

    /// Transforms a picture, an animation frame by frame.
    ///
    /// ``DecodedImage/mapFrames(to:hasAlpha:_:)`` changes the pixels of each frame and keeps the rest.
    ///
    /// Blocks its thread for the whole work; run it on a thread that may block.
    ///
    /// **Cancellation**: checked between rows; throws `CancellationError`.
    ///
    /// - Parameter image: The picture to start from.
    /// - Throws: ``ImageError``; `CancellationError`; the errors of a custom transformer.
    func transform(_ image: DecodedImage) throws -> DecodedImage

    /// The size of the result for a picture of a given size, before any work.
    ///
    /// The default implementation returns the same size. Never traps for any size, and may return a size that
    /// ``transform(_:)`` refuses.
    ///
    /// - Parameter size: The size of the picture to start from, in pixels.
    /// - Returns: The size of the result, in pixels; a side of 0 when there is none.
    func resultSize(for size: PixelSize) -> PixelSize

    /// The peak memory of ``transform(_:)`` for a picture of a given size, beside the picture and the result.
    ///
    /// The default implementation returns 0. Never traps for any size.
    ///
    /// - Parameter size: The size of the picture to start from, in pixels.
    /// - Returns: Bytes; `.max` when the number does not fit.
    func workingByteCount(for size: PixelSize) -> Int
}

extension ImageTransforming {
    /// The size itself.
    public func resultSize(for size: PixelSize) -> PixelSize { size }

    /// 0: the picture and the result are all.
    public func workingByteCount(for size: PixelSize) -> Int { 0 }
}
