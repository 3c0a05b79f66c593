// SPDX-License-Identifier: MIT
public import ImageCoding

extension DecodedImage {
    /// All frames, for tests and tools.
    ///
    /// Traps when a frame that is made on demand is broken; ``ImageCoding/DecodedImage/frame(at:)`` throws instead.
    public var frames: [Frame] {
        do {
            return try (0..<frameCount).map(frame(at:))
        } catch {
            preconditionFailure("A frame could not be made: \(error)")
        }
    }

    /// Whether size, transparency, loop count, durations and all pixels are equal.
    ///
    /// - Parameter other: The picture to compare with.
    public func isSame(as other: DecodedImage) -> Bool {
        size == other.size && hasAlpha == other.hasAlpha && loopCount == other.loopCount
            && durations == other.durations && zip(frames, other.frames).allSatisfy { $0.pixels == $1.pixels }
    }
}
