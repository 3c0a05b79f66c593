/// The transitions a toolkit usually brings along.
public struct PresetTransition: ImageTransition {
    /// What the change looks like.
    public enum Style: Sendable, Hashable, CaseIterable {
        /// The new picture shines through the old one.
        case fade
        /// The picture turns around its vertical axis.
        case flipFromLeft, flipFromRight
        /// The picture turns around its horizontal axis.
        case flipFromTop, flipFromBottom
        /// The picture is leafed over.
        case curlUp, curlDown
    }

    /// What the change looks like.
    public var style: Style
    /// How long the change takes.
    public var duration: Duration
    /// Which pictures are brought in with it.
    public var trigger: TransitionTrigger
    /// What the target may do meanwhile.
    public var options: TransitionOptions

    /// Creates a transition.
    ///
    /// - Parameters:
    ///   - style: What the change looks like.
    ///   - duration: How long the change takes. 500 ms by default.
    ///   - trigger: Which pictures are brought in with it. Those from the network by default.
    ///   - options: What the target may do meanwhile. None by default.
    public nonisolated init(
        _ style: Style, duration: Duration = .milliseconds(500), trigger: TransitionTrigger = .network,
        options: TransitionOptions = []
    ) {
        self.style = style
        self.duration = duration
        self.trigger = trigger
        self.options = options
    }
}

extension ImageTransition where Self == PresetTransition {
    /// A cross-fade of half a second for pictures from the network.
    public static var fade: PresetTransition { PresetTransition(.fade) }
}
