// SPDX-License-Identifier: MIT
/// How a load treats its target, and the callbacks of its caller.
///
/// `ImageRequest` describes what to load.
public struct BindingOptions {
    /// How a load behaves while its target is hidden.
    public enum HiddenPolicy: Sendable, Hashable, CaseIterable {
        /// It runs at the lowest priority, and waits behind what is visible. The default.
        case lowersPriority
        /// Its transfer is cancelled, and starts again when the target appears. The load does not end meanwhile.
        case pauses
        /// It continues unchanged.
        case continues
    }

    /// What the slot shows until the picture arrives.
    ///
    /// ``Placeholder/none`` by default.
    public var placeholder: Placeholder = .none

    /// What the slot shows when the load fails.
    ///
    /// By default the slot keeps what the placeholder option left there.
    public var failurePicture: DecodedImage?

    /// The transition of a picture that did not come from memory.
    ///
    /// None by default.
    public var transition: (any ImageTransition)?

    /// The transition of a preview, from whatever the slot shows to the preview.
    ///
    /// Its trigger does not matter: every preview comes from the network. The load never waits for it, and the next
    /// preview, or the picture, replaces it. None by default.
    public var previewTransition: (any ImageTransition)?

    /// Whether the load ends after its transition instead of when the picture is shown.
    ///
    /// `false` by default.
    public var waitsForTransition = false

    /// Whether pictures are shown; otherwise only ``onPicture`` and the outcome get them.
    ///
    /// `true` by default.
    public var showsPictures = true

    /// Whether the picture has the scale that its address names, such as `photo@2x.jpg`, unless the request has another
    /// one than 1.
    ///
    /// `false` by default; see `ImageRequest.scaleInName`.
    public var usesScaleInName = false

    /// Whether previews of a picture that is still arriving are shown.
    ///
    /// The loader makes them when the request asks for them with `ImageRequest.previews`. `true` by default.
    public var showsPreviews = true

    /// Whether animated pictures play.
    ///
    /// `true` by default.
    public var playsAnimations = true
    /// How often an animation plays, 0 forever; by default as often as its file says.
    public var loopCount: Int?
    /// How fast an animation plays: 1, the default, as its file says. 0.001 to 1,000; less stands still.
    public var playbackRate = 1.0
    /// The order of an animation's frames. `FrameOrder.forward` by default.
    public var frameOrder = FrameOrder.forward

    /// Whether a picture that the slot already shows is loaded again.
    ///
    /// `false` by default; a request whose `ImageRequest.cachePolicy` asks the origin is always loaded.
    public var reloadsShownPicture = false

    /// Whether the slot's previous load is cancelled.
    ///
    /// When `false` it continues for its caller and for the caches, but its picture never reaches the target. `true` by
    /// default.
    public var cancelsPreviousLoad = true

    /// How the load behaves while its target is hidden.
    ///
    /// ``HiddenPolicy/lowersPriority`` by default.
    public var whenHidden: HiddenPolicy = .lowersPriority

    /// A gate of the list that the target is in: while it is closed, the load waits with its transfer. A picture in
    /// memory is shown all the same, and a transfer that runs goes on.
    ///
    /// None by default.
    public var gate: ScrollGate?

    /// Whether the load asks the system for time when the application leaves the screen, and is cancelled when that
    /// time is over, until the application returns.
    ///
    /// `false` by default: the system suspends the application, and the load with it. See
    /// ``ApplicationStage/backgroundTime``.
    public var continuesInBackground = false

    /// Changes the request before it is loaded, such as its transformers, previews or caches.
    ///
    /// None by default. Of use among the ``ImageBinding/defaultOptions`` of a binding.
    public var changeRequest: (@MainActor (inout ImageRequest) -> Void)?

    /// The loads with which this one ends together.
    ///
    /// None by default.
    public var group: ImageLoadGroup?

    /// Called with the progress.
    public var onProgress: (@MainActor (LoadProgress) -> Void)?
    /// Called just after each picture was shown: previews, a cached one that is being refreshed, and the final one.
    public var onPicture: (@MainActor (BoundPicture) -> Void)?
    /// Called once at the end, also of a cancelled load; never after the release of the target.
    public var onEnd: (@MainActor (LoadOutcome) -> Void)?

    /// Creates options with the defaults.
    public init() {}

    /// The same for a load that the program has not asked for itself.
    var forLoadingAgain: BindingOptions {
        var options = self
        (options.group, options.changeRequest) = (nil, nil)
        (options.onProgress, options.onPicture, options.onEnd) = (nil, nil, nil)
        return options
    }

    /// The transition that replaces what the slot shows by `picture`.
    @MainActor func transition(for picture: BoundPicture) -> (any ImageTransition)? {
        if picture.stage == .preview { return previewTransition }
        return transition.flatMap { $0.trigger.covers(picture) ? $0 : nil }
    }
}

/// What a slot shows while its picture is loading.
public enum Placeholder: Sendable {
    /// Nothing: the slot is emptied when the load starts, so that a reused target never shows the picture of another
    /// item. The default.
    case none
    /// A picture that is shown when the load starts, and kept when it fails.
    case now(DecodedImage)
    /// The slot keeps what it shows until the picture arrives. The placeholder is shown when the load fails, and when
    /// there is nothing to load. A cancelled load does not change the slot, which the next load may already own.
    case late(DecodedImage?)
    /// The picture of the address that there was before, which the load may replace by a newer one: the one in memory,
    /// whatever the cache policy of the request, or else another variant of it that the slot shows. Without either,
    /// this picture.
    case previous(DecodedImage?)
    /// The largest picture of the address that memory holds, at whatever size, which the load replaces by that of the
    /// right size. Without one, this picture.
    case anySize(DecodedImage?)

    /// Whether the slot keeps what it shows when a load starts.
    var isLate: Bool {
        if case .late = self { true } else { false }
    }

    /// The picture of each case.
    var picture: DecodedImage? {
        switch self {
        case .none: nil
        case .now(let picture): picture
        case .late(let picture), .previous(let picture), .anySize(let picture): picture
        }
    }
}
