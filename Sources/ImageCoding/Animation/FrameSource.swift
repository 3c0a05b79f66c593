// SPDX-License-Identifier: MIT
import Locks

/// Makes the frames of an animation when they are asked for, so that they need not all be in memory.
///
/// Conform to it to give frames that are drawn, or read from elsewhere.
public protocol FrameSource: Sendable {
    /// How long each frame is shown; one value for each frame.
    ///
    /// Does not change, and costs nothing.
    var durations: [Duration] { get }

    /// The bytes that the source holds now, without the frames it returned.
    ///
    /// It may change with the frames that are made.
    var byteCount: Int { get }

    /// Whether the animation ends before a frame that is damaged, for all that goes through the frames in order.
    ///
    /// `false` by default: they fail with the error of the frame. Damage is ``ImageError`` with `.malformed` or
    /// `.truncated`.
    var endsAtDamage: Bool { get }

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

    /// Gives memory back that the source can fill again. Does nothing by default.
    func releaseMemory()
}

extension FrameSource {
    /// `false`.
    public var endsAtDamage: Bool { false }
    /// Does nothing.
    public func releaseMemory() {}
}

/// Frames of another source, each transformed when it is asked for, with a note of whether one was damaged.
final class MappedFrames: FrameSource {
    private let base: any FrameSource
    private let inputByteCount: Int
    private let transform: @Sendable ([UInt8]) throws -> [UInt8]
    private let found = Mutex(false)

    /// - Parameters:
    ///   - inputByteCount: The bytes of a frame before it is transformed, while it is.
    ///   - transform: Makes the pixels of a frame from those of the source; the same by default.
    init(
        _ base: any FrameSource, inputByteCount: Int = 0,
        _ transform: @escaping @Sendable ([UInt8]) throws -> [UInt8] = { $0 }
    ) {
        (self.base, self.inputByteCount, self.transform) = (base, inputByteCount, transform)
    }

    /// Whether a frame that was asked for is damaged.
    var hasDamage: Bool { found.withLock { $0 } }
    var durations: [Duration] { base.durations }
    var byteCount: Int { base.byteCount.saturatingAdd(inputByteCount) }
    var endsAtDamage: Bool { base.endsAtDamage }

    func pixels(at index: Int) throws -> [UInt8] {
        do { return try transform(base.pixels(at: index)) } catch let error as ImageError where error.isDamage {
            found.withLock { $0 = true }
            throw error
        }
    }

    func releaseMemory() { base.releaseUnread() }
}
