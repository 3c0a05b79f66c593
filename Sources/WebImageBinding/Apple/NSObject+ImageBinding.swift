// SPDX-License-Identifier: MIT
#if canImport(ObjectiveC)
public import Foundation
import ObjectiveC

extension ImageTarget where Self: NSObject {
    /// The binding of this target, made when it is first used, with ``SharedLoader/loader``.
    ///
    /// It lives as long as the target.
    @MainActor
    public var pictures: ImageBinding {
        if let binding = unsafe objc_getAssociatedObject(self, bindingKey) as? ImageBinding { return binding }
        let binding = ImageBinding(target: self, loader: SharedLoader.loader)
        unsafe objc_setAssociatedObject(self, bindingKey, binding, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        return binding
    }
}

/// A unique address: one byte that is never freed, read or written.
@MainActor private let bindingKey = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
#endif
