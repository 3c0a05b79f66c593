/// How a bound load ended.
///
/// There is exactly one for each load.
public enum LoadOutcome: Sendable {
    /// With a picture, shown unless ``BindingOptions/showsPictures`` is off.
    case finished(BoundPicture)
    /// With an error, usually an `ImageLoadError`.
    case failed(any Error)
    /// It was cancelled, replaced by another load of the slot, or its target or binding is gone.
    case cancelled
    /// There was nothing to load: no URL.
    case noRequest

    /// The picture, when there is one.
    public var picture: BoundPicture? {
        if case .finished(let picture) = self { picture } else { nil }
    }

    /// Whether the load was cancelled.
    public var isCancelled: Bool {
        if case .cancelled = self { true } else { false }
    }
}
