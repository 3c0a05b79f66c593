// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

open class CALayer: NSObject { open func add(_ animation: CATransition, forKey key: String?) {} }
open class CATransition: NSObject {
    open var type = CATransitionType.fade
    open var duration: TimeInterval = 0
}
public struct CATransitionType: Sendable { public static let fade = Self() }
