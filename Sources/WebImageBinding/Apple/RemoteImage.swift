// SPDX-License-Identifier: MIT
#if canImport(UIKit) || canImport(AppKit)
public import CoreGraphics
public import Foundation
import ObjectiveC
public import SwiftUI

/// A picture from an address, with a placeholder while there is none.
///
/// ```swift
/// RemoteImage(url) { ProgressView() }
/// ```
public struct RemoteImage<Placeholder: View>: View {
    private let url: URL?
    private let placeholder: Placeholder
    @State private var target = ObservedTarget<CGImage> { $0.cgImage() }

    /// Creates a view of the picture at `url`.
    public init(_ url: URL?, @ViewBuilder placeholder: () -> Placeholder) {
        self.url = url
        self.placeholder = placeholder()
    }

    /// The picture, or the placeholder.
    public var body: some View {
        Group {
            if let picture = target.picture {
                Image(decorative: picture, scale: 1).resizable()
            } else {
                placeholder
            }
        }
        .onChange(of: url, initial: true) {
            target.load(url.map { ImageRequest($0) }, with: SharedLoader.loader)
        }
        .onAppear { target.isVisible = true }
        .onDisappear { target.isVisible = false }
    }
}

/// The loader of views without a loader of their own.
@MainActor
public enum SharedLoader {
    /// An `ImageManager` with its defaults, made when it is first used.
    ///
    /// Set it before the first view loads a picture.
    public static var loader: any ViewImageLoading = ImageManager()
}

extension ImageTarget where Self: NSObject {
    /// The binding of this target, made when it is first used, with ``SharedLoader/loader``.
    ///
    /// It lives as long as the target.
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

extension DecodedImage {
    /// One frame as a Core Graphics image; `nil` when there is no such frame or no memory for it.
    ///
    /// - Complexity: O(`width * height`): the pixels are copied once.
    public func cgImage(frame index: Int = 0) -> CGImage? {
        guard let pixels = try? frame(at: index).pixels, let data = unsafe CFDataCreate(nil, pixels, pixels.count),
            let provider = CGDataProvider(data: data), let space = CGColorSpace(name: CGColorSpace.sRGB)
        else { return nil }
        let alpha: CGImageAlphaInfo = hasAlpha ? .premultipliedLast : .noneSkipLast
        return unsafe CGImage(
            width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: width * 4, space: space,
            bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
            shouldInterpolate: true, intent: .defaultIntent)
    }
}
#endif
