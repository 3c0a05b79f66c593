// SPDX-License-Identifier: MIT
import Observation

/// The target behind a view that is made from state: the picture of ``ImageSlot/image``, as its toolkit draws it.
@MainActor
@Observable
final class ObservedTarget<Picture>: ImageTarget {
    private(set) var picture: Picture?
    @ObservationIgnored private let make: (DecodedImage) -> Picture?
    @ObservationIgnored private var binding: ImageBinding?

    /// Whether the view is on the screen.
    @ObservationIgnored var isVisible = true {
        didSet { if isVisible != oldValue { binding?.targetVisibilityChanged() } }
    }

    /// Creates a target.
    ///
    /// - Parameter make: Makes what the toolkit draws of the first frame.
    init(_ make: @escaping (DecodedImage) -> Picture?) { self.make = make }

    var visibility: TargetVisibility { isVisible ? .visible : .hidden }

    /// Loads a picture with the loader of the first call.
    func load(_ request: ImageRequest?, with loader: @autoclosure () -> any ViewImageLoading) {
        let binding = binding ?? ImageBinding(target: self, loader: loader())
        self.binding = binding
        binding.load(request)
    }

    func show(_ picture: DecodedImage?, in slot: ImageSlot, transition: (any ImageTransition)?) {
        self.picture = picture.flatMap(make)
    }
}
