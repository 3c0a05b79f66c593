#if canImport(UIKit) || canImport(AppKit)
/// What loads the pictures of views that were not given a loader.
@MainActor
public enum SharedLoader {
    /// An `ImageManager` with its defaults, made when it is first used.
    ///
    /// Set it before the first view loads a picture.
    public static var loader: any ViewImageLoading = ImageManager()
}
#endif
