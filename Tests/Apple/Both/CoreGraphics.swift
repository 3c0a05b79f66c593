// SPDX-License-Identifier: MIT
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

public final class CFData {}
public final class CFString {}
public final class CGImage {
    public init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) {}
}
public final class CGDataProvider { public init?(data: CFData) {} }
public final class CGColorSpace {
    public class var sRGB: CFString { CFString() }
    public init?(name: CFString) {}
}
public enum CGColorRenderingIntent { case defaultIntent }
public enum CGImageAlphaInfo: UInt32 { case premultipliedLast, noneSkipLast }
public struct CGBitmapInfo { public init(rawValue: UInt32) {} }
public func CFDataCreate(_ allocator: Void?, _ bytes: UnsafePointer<UInt8>!, _ length: Int) -> CFData! { CFData() }
