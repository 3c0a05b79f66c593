// SPDX-License-Identifier: MIT
/// What is done with the frames of an animation, where it is not the default.
struct FrameUse: OptionSet, Sendable {
    var rawValue: UInt8

    static let first = FrameUse(rawValue: 1)
    static let all = FrameUse(rawValue: 2)
    static let transformed = FrameUse(rawValue: 4)
    static let fallingBack = FrameUse(rawValue: 8)

    mutating func set(_ use: FrameUse, _ isSet: Bool) { if isSet { insert(use) } else { remove(use) } }
}

extension ImageRequest {
    /// Whether only the first frame of an animation is decoded. `false` by default.
    public var firstFrameOnly: Bool {
        get { frameUse.contains(.first) }
        set { change { $0.frameUse.set(.first, newValue) } }
    }

    /// Whether all frames of an animation are decoded before the load returns, and are held in memory. `false` by
    /// default: frames are decoded when they are asked for, unless all of them are small together; see
    /// ``ImageManager/Configuration/maximumHeldAnimationByteCount``.
    ///
    /// 600 frames of 1,000 by 1,000 pixels take 2.4 GB. Beyond `ImageLimits.maximumAnimationPixelCount` the load fails,
    /// unless ``fallsBackToFirstFrame`` is set.
    public var allFrames: Bool {
        get { frameUse.contains(.all) }
        set { change { $0.frameUse.set(.all, newValue) } }
    }

    /// Whether ``transformers`` change animations too, each frame when it is made. `false` by default: an animation is
    /// left as it is, but for a resize that is the first transformer, which is part of the decode.
    public var transformsAnimations: Bool {
        get { frameUse.contains(.transformed) }
        set { change { $0.frameUse.set(.transformed, newValue) } }
    }

    /// Whether an animation beyond the limits gives its first frame instead of an error. `false` by default.
    ///
    /// The limits are `ImageLimits.maximumFrameCount`; for a file, `maximumDrawnPixelCount` of all frames together; and
    /// with ``allFrames`` also `maximumAnimationPixelCount`.
    public var fallsBackToFirstFrame: Bool {
        get { frameUse.contains(.fallingBack) }
        set { change { $0.frameUse.set(.fallingBack, newValue) } }
    }
}
