/// How a load behaves towards its target, and what its caller wants to hear about it.
///
/// What to load is the business of ``ImageRequest``.
public struct BindingOptions {
    /// What becomes of a load while its target is hidden.
    public enum HiddenPolicy: Sendable, Hashable, CaseIterable {
        /// It runs at the lowest priority. The default.
        case lowersPriority
        /// Its transfer is cancelled, and starts again when the target appears. The load does not end meanwhile.
        case pauses
        /// It runs on as before.
        case continues
    }

    /// What the slot shows until the picture arrives.
    ///
    /// ``Placeholder/none`` by default.
    public var placeholder: Placeholder = .none

    /// What the slot shows when the load fails.
    ///
    /// By default what the placeholder leaves there.
    public var failurePicture: DecodedImage?

    /// How a picture is brought in that was waited for.
    ///
    /// At once by default.
    public var transition: (any ImageTransition)?

    /// Whether the load ends after its transition instead of when the picture is shown.
    ///
    /// `false` by default.
    public var waitsForTransition = false

    /// Whether pictures are shown; otherwise they are only handed to ``onPicture`` and the outcome.
    ///
    /// `true` by default.
    public var showsPictures = true

    /// Whether previews of a picture that is still arriving are shown.
    ///
    /// `true` by default.
    public var showsPreviews = true

    /// Whether animated pictures play.
    ///
    /// `true` by default.
    public var playsAnimations = true
    /// How often an animation plays, 0 for ever; by default as often as the file says.
    public var loopCount: Int?

    /// Whether a picture that the slot shows already is loaded again.
    ///
    /// `false` by default; a request whose ``ImageRequest/cachePolicy`` asks the origin is always loaded.
    public var reloadsShownPicture = false

    /// Whether the slot's previous load is cancelled.
    ///
    /// When `false` it runs on for its caller and for the caches, but its picture never reaches the target. `true` by
    /// default.
    public var cancelsPreviousLoad = true

    /// What becomes of the load while its target is hidden.
    ///
    /// ``HiddenPolicy/lowersPriority`` by default.
    public var whenHidden: HiddenPolicy = .lowersPriority

    /// The loads with which this one ends together.
    ///
    /// None by default.
    public var group: ImageLoadGroup?

    /// Hears how much has arrived.
    public var onProgress: (@MainActor (LoadProgress) -> Void)?
    /// Hears of every picture just after it was shown: previews, a cached one that is being refreshed, the final one.
    public var onPicture: (@MainActor (BoundPicture) -> Void)?
    /// Hears the end, once, also of a cancelled load; never after the target is gone.
    public var onEnd: (@MainActor (LoadOutcome) -> Void)?

    /// Creates options in which everything has its default.
    public init() {}
}
