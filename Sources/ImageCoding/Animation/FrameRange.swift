// SPDX-License-Identifier: MIT
/// The frames of an animation that are decoded.
///
/// The frames before them are drawn, from the last one that hides all before it, because a frame may depend on those,
/// and not kept. A range with one frame of the file makes a still picture.
public struct FrameRange: Hashable, Sendable {
    /// The indexes of the frames, from 0. Those after the last frame of a file count as absent.
    public let indices: Range<Int>

    private init(_ indices: Range<Int>) { self.indices = indices.clamped(to: 0..<Int.max) }

    /// All frames of the file.
    public static let all = FrameRange(0..<Int.max)
    /// The first frame.
    public static let first = FrameRange(0..<1)

    /// Some frames that follow each other.
    ///
    /// A run that ends after the last frame of the file ends with that one. A file that has none of the frames is
    /// refused with `.invalidRequest`, and so is an empty run.
    ///
    /// - Parameter indices: The indexes of the frames, from 0; negative ones are left out.
    public static func run(_ indices: Range<Int>) -> FrameRange { FrameRange(indices) }

    /// The indexes in a file of some frames.
    ///
    /// - Throws: `.invalidRequest` when there are none.
    func clamped(to frameCount: Int) throws(ImageError) -> Range<Int> {
        let found = indices.clamped(to: 0..<max(frameCount, 0))
        guard !found.isEmpty else {
            throw ImageError(
                code: .invalidRequest,
                message: "The file has \(frameCount) frames, and none of the run from \(indices.lowerBound).")
        }
        return found
    }

    /// The number of frames of a file that are in it, at least one.
    ///
    /// - Parameter frameCount: The frames of the file; `nil` counts as one.
    package func count(of frameCount: Int?) -> Int { max(indices.clamped(to: 0..<max(frameCount ?? 1, 1)).count, 1) }
}

extension DecodeOptions {
    /// The frames to look for in a file: up to the end of the run, or up to one more than the limit, to notice too
    /// many, and at least two of all frames, to recognise an animation.
    ///
    /// The memory of a decode limits where a run may
    /// begin, because each frame is noted in some hundred bytes.
    func frameLimit(_ bytes: [UInt8]) -> Int {
        // The number of bytes bounds both, so no sum overflows.
        let start = min(frames.indices.lowerBound, bytes.count, max(limits.maximumByteCount, 0) / 2_048)
        return min(frames.indices.upperBound, start + max(1, min(limits.maximumFrameCount, bytes.count)) + 1)
    }
}
