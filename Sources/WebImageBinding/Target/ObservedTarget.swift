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
    private(set) var phase = PicturePhase<Picture>.empty
    @ObservationIgnored private let make: (DecodedImage) -> Picture?
    @ObservationIgnored private let animate: (any ImageTransition, () -> Void) -> Void
    @ObservationIgnored private var binding: ImageBinding?

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

    var picture: Picture? { phase.picture }
    var visibility: TargetVisibility { isVisible ? .visible : .hidden }

    /// Loads a picture with the loader of the first call.
    func load(
        _ request: ImageRequest?, options: BindingOptions = .init(),
        with loader: @autoclosure () -> any ViewImageLoading
    ) {
        let binding = binding ?? ImageBinding(target: self, loader: loader())
        self.binding = binding
        if phase.error != nil { phase = .empty }
        var watched = options
        watched.onEnd = { [weak self] outcome in
            if case .failed(let error) = outcome, self?.picture == nil { self?.phase = .failure(error) }
            options.onEnd?(outcome)
        }
        binding.load(request, options: watched)
    }

    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        let phase = picture.flatMap(make).map { PicturePhase.success($0) } ?? .empty
        guard let transition else { return self.phase = phase }
        animate(transition) { self.phase = phase }
    }
}
