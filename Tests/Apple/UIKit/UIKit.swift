// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@_exported public import CoreGraphics
@_exported public import Foundation

@MainActor open class UIView: NSObject {
    public struct AnimationOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let allowUserInteraction = Self(), curveEaseInOut = Self(), curveLinear = Self()
        public static let transitionCrossDissolve = Self(), transitionFlipFromLeft = Self()
        public static let transitionFlipFromRight = Self(), transitionFlipFromTop = Self()
        public static let transitionFlipFromBottom = Self(), transitionCurlUp = Self(), transitionCurlDown = Self()
    }
    open var window: UIView? { nil }
    open var isHidden = false
    open var alpha: CGFloat = 1
    open class func transition(
        with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?,
        completion: ((Bool) -> Void)? = nil
    ) {}
}
@MainActor open class UIImageView: UIView { open var image, highlightedImage: UIImage? }
@MainActor open class UIControl: UIView {
    public struct State: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }
}
@MainActor open class UIButton: UIControl {
    open func setImage(_ image: UIImage?, for state: UIControl.State) {}
    open func setBackgroundImage(_ image: UIImage?, for state: UIControl.State) {}
}
// As UIKit declares it: immutable.
open class UIImage: NSObject, @unchecked Sendable {
    public enum Orientation { case up }
    public init(cgImage: CGImage, scale: CGFloat, orientation: Orientation) {}
}
public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public static let invalid = Self(rawValue: 0)
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }
}
@MainActor open class UIApplication: NSObject {
    public class var shared: UIApplication { UIApplication() }
    public nonisolated class var didReceiveMemoryWarningNotification: NSNotification.Name { .init("") }
    public nonisolated class var willResignActiveNotification: NSNotification.Name { .init("") }
    public nonisolated class var didBecomeActiveNotification: NSNotification.Name { .init("") }
    public nonisolated class var willEnterForegroundNotification: NSNotification.Name { .init("") }
    public nonisolated class var didEnterBackgroundNotification: NSNotification.Name { .init("") }
    public nonisolated class var willTerminateNotification: NSNotification.Name { .init("") }
    open var backgroundTimeRemaining: TimeInterval { 0 }
    open func beginBackgroundTask(
        withName name: String?, expirationHandler handler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { .invalid }
    open func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}
