// SPDX-License-Identifier: MIT
#if canImport(UIKit) || canImport(AppKit)
/// The loader of views without a loader of their own.
@MainActor
public enum SharedLoader {
    /// An `ImageManager` with its defaults, made when it is first used.
    ///
    /// Set it before the first view loads a picture.
    public static var loader: any ViewImageLoading = ImageManager()
}
#endif
