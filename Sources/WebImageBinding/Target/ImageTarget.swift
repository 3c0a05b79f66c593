// SPDX-License-Identifier: MIT
/// Something that shows pictures: an image view, a button, a cell of a terminal.
///
/// A target decides how a picture looks; an ``ImageBinding`` decides which picture it shows. A binding holds its target
/// weakly, so a target may own its binding.
///
/// **Isolation**: the main actor. All calls are made on it, and none of them suspends.
@MainActor
public protocol ImageTarget: AnyObject {
    /// Shows `picture` in place of what the slot shows now.
    ///
    /// - Parameters:
    ///   - picture: The picture, with every frame it has; `nil` empties the slot.
    ///   - slot: The slot of the picture. A target ignores slots that it does not have.
    ///   - transition: How to animate the change; `nil` for no animation. The picture counts as shown when the call
    ///     returns: the target starts the animation and does not wait for it.
    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?)

    /// Shows one frame of the animated picture from the last call of `show(_:in:transition:)` for the slot.
    ///
    /// Shows the frame as a still picture by default.
    ///
    /// - Parameters:
    ///   - frame: The frame, made ahead on another thread if the picture makes its frames on demand.
    ///   - picture: The animated picture.
    ///   - slot: The slot of the picture.
    func showFrame(_ frame: PlayedFrame, of picture: DecodedImage, in slot: ImageSlot)

    /// Whether the target is visible. ``TargetVisibility/visible`` by default.
    ///
    /// A target with another value calls ``ImageBinding/targetVisibilityChanged()`` when the value changes.
    var visibility: TargetVisibility { get }

    /// What the target owns so that its bindings learn of its release at once. `nil` by default; views of UIKit and
    /// AppKit have one.
    ///
    /// A target that owns its binding needs none: the two are released together.
    var life: TargetLife? { get }
}

extension ImageTarget {
    /// Shows the frame as a still picture.
    public func showFrame(_ frame: PlayedFrame, of picture: DecodedImage, in slot: ImageSlot) {
        let still = try? DecodedImage(
            width: picture.width, height: picture.height, frames: [DecodedImage.Frame(pixels: frame.frame.pixels)],
            hasAlpha: picture.hasAlpha)
        guard var still else { return }
        still.scale = picture.scale
        show(still, in: slot, transition: nil)
    }

    /// Always visible.
    public var visibility: TargetVisibility { .visible }

    /// None.
    public var life: TargetLife? { nil }
}

/// Tells the bindings of a target that the target has been released, because it is released with it.
///
/// ```swift
/// final class Cell: ImageTarget {
///     let life: TargetLife? = TargetLife()
/// }
/// ```
///
/// The target alone keeps it.
@MainActor
public final class TargetLife {
    private var bindings: [() -> ImageBinding?] = []

    /// Creates a life.
    public nonisolated init() {}

    /// The number of bindings, and of those released since the last one entered. For tests.
    var entryCount: Int { bindings.count }

    func enter(_ binding: ImageBinding) {
        bindings.removeAll { $0() == nil }
        bindings.append { [weak binding] in binding }
    }

    isolated deinit {
        for binding in bindings { binding()?.targetHasGone() }
    }
}

/// Whether a target is visible to the user.
public enum TargetVisibility: Sendable, Hashable, CaseIterable {
    /// On the screen: loads run at the priority of their request, and animations play.
    case visible
    /// About to appear: loads run at `ImagePriority.low` at most, and animations pause.
    case near
    /// Not visible: ``BindingOptions/whenHidden`` decides about loads, and animations pause.
    case hidden

    /// The visibility of a view that knows no more than its own properties.
    init(isInWindow: Bool, isHidden: Bool, opacity: Double) {
        self = isInWindow && !isHidden && opacity > 0 ? .visible : .hidden
    }

    /// The priority of a load for a target with this visibility.
    func priority(for request: ImageRequest) -> ImagePriority {
        switch self {
        case .visible: request.priority
        case .near: min(request.priority, .low)
        case .hidden: min(request.priority, .veryLow)
        }
    }
}
