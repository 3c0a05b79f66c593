// SPDX-License-Identifier: MIT
/// The usual transitions of a toolkit.
public struct PresetTransition: ImageTransition {
    /// The style of the change.
    public enum Style: Sendable, Hashable, CaseIterable {
        /// The new picture fades in over the old one.
        case fade
        /// The picture turns around its vertical axis.
        case flipFromLeft, flipFromRight
        /// The picture turns around its horizontal axis.
        case flipFromTop, flipFromBottom
        /// The picture is turned like a page.
        case curlUp, curlDown
    }

    /// The style of the change.
    public var style: Style
    /// How long the change takes.
    public var duration: Duration
    /// The pictures that it applies to.
    public var trigger: TransitionTrigger
    /// The options for the target.
    public var options: TransitionOptions

    /// Creates a transition.
    ///
    /// - Parameters:
    ///   - style: The style of the change.
    ///   - duration: How long the change takes. 500 ms by default.
    ///   - trigger: The pictures that it applies to. Pictures from the network by default.
    ///   - options: The options for the target. None by default.
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

extension ImageTransition {
    /// The style of a preset; any other transition is a fade for a toolkit.
    var style: PresetTransition.Style { (self as? PresetTransition)?.style ?? .fade }
    /// The duration in seconds.
    var seconds: Double { duration / .seconds(1) }
}

extension ImageTransition where Self == PresetTransition {
    /// A cross-fade of half a second for pictures from the network.
    public static var fade: PresetTransition { PresetTransition(.fade) }
}
