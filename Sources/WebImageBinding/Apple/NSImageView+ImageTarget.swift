// SPDX-License-Identifier: MIT
#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit

/// An image view shows pictures in ``ImageSlot/image``.
extension NSImageView: ImageTarget {
    /// Shows a picture; slots the view does not have are ignored.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        guard slot == .image else { return }
        change(transition) { image = picture?.nsImage }
    }

    /// Visible while it is in a window and not hidden.
    public var visibility: TargetVisibility { pictureVisibility }
}
#endif
