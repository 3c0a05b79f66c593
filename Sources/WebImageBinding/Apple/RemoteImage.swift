// SPDX-License-Identifier: MIT
#if canImport(UIKit) || canImport(AppKit)
public import CoreGraphics
public import Foundation
import ObjectiveC
public import SwiftUI

/// A picture from an address, or what a closure makes of the phases of its load.
///
/// ```swift
/// RemoteImage(url) { ProgressView() }
/// RemoteImage(request, options: options) { phase in
///     switch phase {
///     case .success(let image): image.resizable().scaledToFit()
///     case .failure: Image(systemName: "photo")
///     case .empty: ProgressView()
///     }
/// }
/// ```
///
/// The load begins when the view appears, sinks while it is off the screen, and begins anew with another request. Its
/// transition animates the change of the phase.
public struct RemoteImage<Content: View>: View {
    private let request: ImageRequest?
    private let options: BindingOptions
    private let content: (PicturePhase<Image>) -> Content
    @State private var target = ObservedTarget<Image>(animate: { transition, change in
        let style: Animation =
            transition.options.contains(.easesInAndOut)
            ? .easeInOut(duration: transition.seconds) : .linear(duration: transition.seconds)
        withAnimation(style, change)
    }) { picture in
        picture.cgImage().map { Image(decorative: $0, scale: picture.scale) }
    }

    /// Creates a view of what a closure makes of the phases of a load.
    ///
    /// - Parameters:
    ///   - request: The picture; `nil` for none, which is ``PicturePhase/empty``.
    ///   - options: How the load behaves: its transition, its placeholder, its callbacks. The defaults by default.
    ///   - content: The view of a phase.
    public init(
        _ request: ImageRequest?, options: BindingOptions = .init(),
        @ViewBuilder content: @escaping (PicturePhase<Image>) -> Content
    ) {
        self.request = request
        self.options = options
        self.content = content
    }

    /// Creates a view of a picture, which fills the room that it has, or of a placeholder.
    public init<Placeholder: View>(
        _ request: ImageRequest?, options: BindingOptions = .init(),
        @ViewBuilder placeholder: @escaping () -> Placeholder
    ) where Content == _ConditionalContent<Image, Placeholder> {
        self.init(request, options: options) { phase in
            if let picture = phase.picture { picture.resizable() } else { placeholder() }
        }
    }

    /// Creates a view of the picture at `url`, or of a placeholder.
    public init<Placeholder: View>(_ url: URL?, @ViewBuilder placeholder: @escaping () -> Placeholder)
    where Content == _ConditionalContent<Image, Placeholder> {
        self.init(url.map { ImageRequest($0) }, placeholder: placeholder)
    }

    /// The view of the phase.
    public var body: some View {
        Group { content(target.phase) }
            .onChange(of: request.map { PictureIdentity($0) }, initial: true) {
                target.load(request, options: options, with: SharedLoader.loader)
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

    /// The life of this target, made when it is first used.
    public var life: TargetLife? {
        if let life = unsafe objc_getAssociatedObject(self, lifeKey) as? TargetLife { return life }
        let life = TargetLife()
        unsafe objc_setAssociatedObject(self, lifeKey, life, .OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        return life
    }
}

/// Unique addresses: bytes that are never freed, read or written.
@MainActor private let bindingKey = UnsafeRawPointer(
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))
@MainActor private let lifeKey = UnsafeRawPointer(UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1))

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
