// SPDX-License-Identifier: MIT
/// Makes the frames of an animation when they are asked for, so that they need not all be in memory.
///
/// Conform to it to give frames that are drawn, or read from elsewhere.
public protocol FrameSource: Sendable {
    /// How long each frame is shown; one value for each frame.
    ///
    /// Does not change, and costs nothing.
    var durations: [Duration] { get }

    /// The most bytes that the source holds between and during calls, without the frames it returned.
    var byteCount: Int { get }

    /// Makes the pixels of one frame.
    ///
    /// Blocks its thread. May be called on any thread and on several at once; calls may wait for each other.
    ///
    /// **Cancellation**: checked while the frame is made; throws `CancellationError`.
    ///
    /// - Parameter index: The index of a frame.
    /// - Returns: RGBA, 8 bits a channel, premultiplied, rows top down without padding; complete, whatever the order of
    ///   the calls.
    /// - Throws: ``ImageError`` for a frame that is broken; `CancellationError`.
    func pixels(at index: Int) throws -> [UInt8]
}

/// Frames of another source, each transformed when it is asked for.
struct MappedFrames: FrameSource {
    private let base: any FrameSource
    private let transform: @Sendable ([UInt8]) throws -> [UInt8]

    init(_ base: any FrameSource, _ transform: @escaping @Sendable ([UInt8]) throws -> [UInt8]) {
        self.base = base
        self.transform = transform
    }

    var durations: [Duration] { base.durations }
    var byteCount: Int { base.byteCount }

    func pixels(at index: Int) throws -> [UInt8] { try transform(base.pixels(at: index)) }
}
