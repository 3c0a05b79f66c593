// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import CoreGraphics
@_exported public import Foundation
@_exported public import QuartzCore

@MainActor open class NSView: NSObject {
    open var window: NSObject? { nil }
    open var isHiddenOrHasHiddenAncestor: Bool { false }
    open var alphaValue: CGFloat = 1
    open var wantsLayer = false
    open var layer: CALayer?
}
@MainActor open class NSImageView: NSView { open var image: NSImage? }
@MainActor open class NSButton: NSView { open var image, alternateImage: NSImage? }
open class NSImage: NSObject { public init(cgImage: CGImage, size: NSSize) {} }
@MainActor open class NSApplication: NSObject {
    public nonisolated class var didHideNotification: NSNotification.Name { .init("") }
    public nonisolated class var didUnhideNotification: NSNotification.Name { .init("") }
    public nonisolated class var willTerminateNotification: NSNotification.Name { .init("") }
}
