// SPDX-License-Identifier: MIT
#if canImport(AppKit) && !targetEnvironment(macCatalyst)
import AppKit
import Foundation
import QuartzCore

extension NSView {
    /// Whether the view is visible, as far as it knows itself.
    var pictureVisibility: TargetVisibility {
        window != nil && !isHiddenOrHasHiddenAncestor && alphaValue > 0 ? .visible : .hidden
    }

    /// Applies a change, faded in when there is a transition.
    func change(_ transition: (any ImageTransition)?, _ change: () -> Void) {
        if let transition {
            wantsLayer = true
            let fade = CATransition()
            fade.type = .fade
            fade.duration = transition.duration / .seconds(1)
            layer?.add(fade, forKey: "picture")
        }
        change()
    }
}

extension DecodedImage {
    /// The first frame, for AppKit.
    var nsImage: NSImage? {
        cgImage().map { NSImage(cgImage: $0, size: NSSize(width: width, height: height)) }
    }
}
#endif
