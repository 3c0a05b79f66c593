// SPDX-License-Identifier: MIT
import Observation

/// What a view that is made from state shows: a phase of its load.
public enum PicturePhase<Picture> {
    /// No picture yet, or nothing to load.
    case empty
    /// A picture: the final one, a preview, a frame, or the picture of an option, such as the placeholder.
    case success(Picture)
    /// The load has failed, and there is no picture to show.
    case failure(any Error)

    /// The picture, when there is one.
    public var picture: Picture? {
        if case .success(let picture) = self { picture } else { nil }
    }

    /// The error, when the load has failed.
    public var error: (any Error)? {
        if case .failure(let error) = self { error } else { nil }
    }
}

/// The target behind a view that is made from state: the picture of ``ImageSlot/image``, as its toolkit draws it.
@MainActor
@Observable
final class ObservedTarget<Picture>: ImageTarget {
    private(set) var picture: Picture?
    private var binding: ImageBinding?
    @ObservationIgnored private let make: (DecodedImage) -> Picture?
    @ObservationIgnored private let animate: (any ImageTransition, () -> Void) -> Void

    /// Whether the view is on the screen.
    @ObservationIgnored var isVisible = true {
        didSet { if isVisible != oldValue { binding?.targetVisibilityChanged() } }
    }

    /// Creates a target.
    ///
    /// - Parameters:
    ///   - animate: Makes a change of state with a transition.
    ///   - make: Makes what the toolkit draws of the first frame.
    init(
        animate: @escaping (any ImageTransition, () -> Void) -> Void = { _, change in change() },
        _ make: @escaping (DecodedImage) -> Picture?
    ) {
        self.animate = animate
        self.make = make
    }

    /// The phase of the load that was begun last, by the view or by the binding when the view returns.
    var phase: PicturePhase<Picture> {
        if let picture { return .success(picture) }
        if case .failed(let error)? = binding?.state().phase { return .failure(error) }
        return .empty
    }

    var visibility: TargetVisibility { isVisible ? .visible : .hidden }

    /// Loads a picture with the loader of the first call.
    func load(
        _ request: ImageRequest?, options: BindingOptions = .init(),
        with loader: @autoclosure () -> any ViewImageLoading
    ) {
        let binding = binding ?? ImageBinding(target: self, loader: loader())
        if self.binding == nil { self.binding = binding }
        binding.load(request, options: options)
    }

    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        let picture = picture.flatMap(make)
        guard let transition else { return self.picture = picture }
        animate(transition) { self.picture = picture }
    }
}
