// SPDX-License-Identifier: MIT
#if canImport(UIKit) && !os(watchOS)
import Foundation
import UIKit

extension UIView {
    /// Whether the view is visible, as far as it knows itself.
    var pictureVisibility: TargetVisibility {
        window != nil && !isHidden && alpha > 0 ? .visible : .hidden
    }

    /// Applies a change, animated when there is a transition.
    func change(_ transition: (any ImageTransition)?, _ change: @escaping () -> Void) {
        guard let transition else { return change() }
        UIView.transition(
            with: self, duration: transition.duration / .seconds(1), options: transition.animationOptions,
            animations: change)
    }
}

extension ImageTransition {
    fileprivate var animationOptions: UIView.AnimationOptions {
        let style = (self as? PresetTransition)?.style ?? .fade
        var result = style.animationOption
        if options.contains(.allowsInteraction) { result.insert(.allowUserInteraction) }
        result.insert(options.contains(.easesInAndOut) ? .curveEaseInOut : .curveLinear)
        return result
    }
}

extension PresetTransition.Style {
    fileprivate var animationOption: UIView.AnimationOptions {
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
    /// The first frame, for UIKit.
    var uiImage: UIImage? { cgImage().map { UIImage(cgImage: $0) } }
}
#endif
