// SPDX-License-Identifier: MIT
#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// A button shows a picture and a background picture for each of its states.
///
/// ```swift
/// button.pictures.load(url, into: .image(for: .highlighted))
/// ```
extension UIButton: ImageTarget {
    /// Shows a picture; slots the view does not have are ignored.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        let image = picture?.uiImage
        let state = UIControl.State(rawValue: slot.state.rawValue)
        switch slot.role {
        case .image: change(transition) { self.setImage(image, for: state) }
        case .backgroundImage: change(transition) { self.setBackgroundImage(image, for: state) }
        default: break
        }
    }

    /// Visible while it is in a window and not hidden.
    public var visibility: TargetVisibility { pictureVisibility }
}
#endif
