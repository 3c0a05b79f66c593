// SPDX-License-Identifier: MIT
#if canImport(MapKit) && !os(watchOS)
public import MapKit

/// An annotation view shows pictures in ``ImageSlot/image``.
extension MKAnnotationView: ImageTarget {
    /// Shows a picture; slots the view does not have are ignored.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        guard slot == .image else { return }
        #if canImport(UIKit)
        change(transition) { self.image = picture?.uiImage }
        #else
        change(transition) { image = picture?.nsImage }
        #endif
    }

    /// Visible while it is in a window and not hidden.
    public var visibility: TargetVisibility { pictureVisibility }
}
#endif
