// SPDX-License-Identifier: MIT
#if canImport(UIKit) && !os(watchOS)
public import UIKit

/// An image view shows pictures in ``ImageSlot/image`` and ``ImageSlot/highlightedImage``.
///
/// ```swift
/// imageView.pictures.load(url)
/// ```
extension UIImageView: ImageTarget {
    /// Shows a picture; slots the view does not have are ignored.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        let image = picture?.uiImage
        switch slot {
        case .image: change(transition) { self.image = image }
        case .highlightedImage: change(transition) { self.highlightedImage = image }
        default: break
        }
    }

    /// Visible while it is in a window and not hidden.
    public var visibility: TargetVisibility { pictureVisibility }
}
#endif
