/// Makes one picture out of another.
///
/// A transformer is a value whose ``key`` says everything about it. Equal keys promise equal results, and different
/// results need different keys: keys name cached pictures.
public protocol ImageTransforming: Sendable {
    /// A stable text that names the transformer and every parameter that changes the result.
    var key: String { get }

    /// Transforms a picture, an animation frame by frame.
    ///
    /// Blocks its thread for the whole work; run it where that is allowed.
    ///
    /// **Cancellation**: Asks the current task between rows and throws `CancellationError`.
    ///
    /// - Parameter image: The picture to start from.
    /// - Throws: ``ImageError``; `CancellationError`; what a transformer of your own throws.
    func transform(_ image: DecodedImage) throws -> DecodedImage

    /// Tells the size of the result for a picture of a given size, before anything is done.
    ///
    /// Without an implementation of its own a transformer is taken to keep the size. Never traps, whatever the size, and
    /// may answer a size that ``transform(_:)`` refuses to make.
    ///
    /// - Parameter size: The size of the picture to start from, in pixels.
    /// - Returns: The size of the result, in pixels; a side of 0 when there is none.
    func resultSize(for size: PixelSize) -> PixelSize
}

extension ImageTransforming {
    /// The size itself.
    public func resultSize(for size: PixelSize) -> PixelSize { size }
}

extension DecodedImage {
    /// A picture of another size with the same timing, each frame's pixels made by `transform`.
    ///
    /// - Parameters:
    ///   - size: The size of the result.
    ///   - transform: Makes `size.width * size.height * 4` bytes from a frame's pixels.
    func mapFrames(to size: PixelSize, _ transform: ([UInt8]) throws -> [UInt8]) throws -> DecodedImage {
        let frames = try frames.map { Frame(pixels: try transform($0.pixels), duration: $0.duration) }
        return DecodedImage(
            checked: size.width, size.height, frames: frames, loopCount: loopCount, hasAlpha: hasAlpha)
    }
}
