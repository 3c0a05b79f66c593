// SPDX-License-Identifier: MIT
#if canImport(AppKit) && !targetEnvironment(macCatalyst)
public import AppKit
import QuartzCore

/// An image view shows pictures in ``ImageSlot/image``, and ignores other slots.
///
/// ```swift
/// imageView.pictures.load(url)
/// ```
extension NSImageView: ImageTarget {
    /// Shows a picture.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        if slot == .image { change(transition) { image = picture?.nsImage } }
    }

    /// Visible while it is in a window, not hidden and not transparent.
    public var visibility: TargetVisibility { pictureVisibility }
}

/// A button shows pictures in ``ImageSlot/image`` and ``ImageSlot/alternateImage``.
extension NSButton: ImageTarget {
    /// Shows a picture.
    public func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        switch slot {
        case .image: change(transition) { image = picture?.nsImage }
        case .alternateImage: change(transition) { alternateImage = picture?.nsImage }
        default: break
        }
    }

    /// Visible while it is in a window, not hidden and not transparent.
    public var visibility: TargetVisibility { pictureVisibility }
}

extension NSView {
    fileprivate var pictureVisibility: TargetVisibility {
        TargetVisibility(
            isInWindow: window != nil, isHidden: isHiddenOrHasHiddenAncestor, opacity: Double(alphaValue))
    }

    /// Applies a change, faded in when there is a transition.
    fileprivate func change(_ transition: (any ImageTransition)?, _ change: () -> Void) {
        if let transition {
            wantsLayer = true
            let fade = CATransition()
            fade.type = .fade
            fade.duration = transition.seconds
            layer?.add(fade, forKey: "picture")
        }
        change()
    }
}

extension DecodedImage {
    fileprivate var nsImage: NSImage? {
        cgImage().map {
            NSImage(cgImage: $0, size: NSSize(width: Double(width) / scale, height: Double(height) / scale))
        }
    }
}
#endif
