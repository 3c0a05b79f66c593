// SPDX-License-Identifier: MIT
#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit

/// A button shows pictures in ``ImageSlot/image`` and ``ImageSlot/alternateImage``.
extension NSButton: ImageTarget {
    /// Shows a picture; slots the view does not have are ignored.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        switch slot {
        case .image: change(transition) { image = picture?.nsImage }
        case .alternateImage: change(transition) { alternateImage = picture?.nsImage }
        default: break
        }
    }

    /// Visible while it is in a window and not hidden.
    public var visibility: TargetVisibility { pictureVisibility }
}
#endif
