// SPDX-License-Identifier: MIT
/// The order in which the frames of an animation are played.
public enum FrameOrder: String, Sendable, Hashable, CaseIterable {
    /// From the first frame to the last one.
    case forward
    /// From the last frame to the first one.
    case reverse
    /// There and back. A loop shows the first and the last frame once.
    case bounce
    /// Back and there, from the last frame. A loop shows the first and the last frame once.
    case reverseBounce
}

extension FrameOrder {
    /// The number of frames that a loop shows.
    func stepCount(frames: Int) -> Int {
        switch self {
        case .forward, .reverse: frames
        case .bounce, .reverseBounce: frames > 1 ? frames * 2 - 2 : frames
        }
    }

    /// The frame that a step of a loop shows.
    ///
    /// - Parameter step: Below ``stepCount(frames:)``.
    func frame(at step: Int, frames: Int) -> Int {
        let there = step < frames ? step : frames * 2 - 2 - step
        return self == .forward || self == .bounce ? there : frames - 1 - there
    }

    /// The first step of a loop that shows a frame.
    func step(of frame: Int, frames: Int) -> Int {
        self == .forward || self == .bounce ? frame : frames - 1 - frame
    }

    /// Whether the frame after a step has a lower index.
    func runsBackwards(after step: Int, frames: Int) -> Bool {
        let count = stepCount(frames: frames)
        guard count > 1 else { return false }
        return self.frame(at: (step + 1) % count, frames: frames) < self.frame(at: step, frames: frames)
            && step + 1 < count
    }
}
