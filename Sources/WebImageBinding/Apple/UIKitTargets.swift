// SPDX-License-Identifier: MIT
#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// An image view shows pictures in ``ImageSlot/image`` and ``ImageSlot/highlightedImage``, and ignores other slots.
///
/// ```swift
/// imageView.pictures.load(url)
/// ```
extension UIImageView: ImageTarget {
    /// Shows a picture.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        let image = picture?.uiImage
        switch slot {
        case .image: change(transition) { self.image = image }
        case .highlightedImage: change(transition) { self.highlightedImage = image }
        default: break
        }
    }

    /// Visible while it is in a window, not hidden and not transparent.
    public var visibility: TargetVisibility { pictureVisibility }
}

/// A button shows a picture and a background picture for each of its states.
///
/// ```swift
/// button.pictures.load(url, into: .image(for: .highlighted))
/// ```
extension UIButton: ImageTarget {
    /// Shows a picture.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        let (image, state) = (picture?.uiImage, UIControl.State(rawValue: slot.state.rawValue))
        switch slot.role {
        case .image: change(transition) { self.setImage(image, for: state) }
        case .backgroundImage: change(transition) { self.setBackgroundImage(image, for: state) }
        default: break
        }
    }

    /// Visible while it is in a window, not hidden and not transparent.
    public var visibility: TargetVisibility { pictureVisibility }
}

extension UIView {
    fileprivate var pictureVisibility: TargetVisibility {
        TargetVisibility(isInWindow: window != nil, isHidden: isHidden, opacity: Double(alpha))
    }

    /// Applies a change, animated when there is a transition.
    fileprivate func change(_ transition: (any ImageTransition)?, _ change: @escaping () -> Void) {
        guard let transition else { return change() }
        var options = transition.style.animation
        if transition.options.contains(.allowsInteraction) { options.insert(.allowUserInteraction) }
        options.insert(transition.options.contains(.easesInAndOut) ? .curveEaseInOut : .curveLinear)
        UIView.transition(with: self, duration: transition.seconds, options: options, animations: change)
    }
}

extension PresetTransition.Style {
    fileprivate var animation: UIView.AnimationOptions {
        switch self {
        case .fade: .transitionCrossDissolve
        case .flipFromLeft: .transitionFlipFromLeft
        case .flipFromRight: .transitionFlipFromRight
        case .flipFromTop: .transitionFlipFromTop
        case .flipFromBottom: .transitionFlipFromBottom
        case .curlUp: .transitionCurlUp
        case .curlDown: .transitionCurlDown
        }
    }
}

extension DecodedImage {
    fileprivate var uiImage: UIImage? {
        cgImage().map { UIImage(cgImage: $0, scale: CGFloat(scale), orientation: .up) }
    }
}
#endif
