// SPDX-License-Identifier: MIT
/// How a picture replaces another one.
///
/// The target performs the change in ``ImageTarget/show(_:in:transition:)``. The binding calls the two hooks around it.
/// It drops the rest of a transition as soon as its slot gets another load or the load is cancelled, so
/// ``finish(_:in:)`` never touches a reused target.
@MainActor
public protocol ImageTransition {
    /// How long the change takes. 500 ms by default.
    var duration: Duration { get }
    /// The pictures that it applies to. ``TransitionTrigger/network`` by default.
    var trigger: TransitionTrigger { get }
    /// The options for the target. None by default.
    var options: TransitionOptions { get }

    /// Called just before the picture is shown. Does nothing by default.
    func prepare(_ target: any ImageTarget, in slot: ImageSlot)
    /// Called at the end of the duration. Does nothing by default.
    func finish(_ target: any ImageTarget, in slot: ImageSlot)
}

extension ImageTransition {
    /// Half a second.
    public var duration: Duration { .milliseconds(500) }
    /// Pictures from the network.
    public var trigger: TransitionTrigger { .network }
    /// None.
    public var options: TransitionOptions { [] }

    /// Does nothing.
    public func prepare(_ target: any ImageTarget, in slot: ImageSlot) {}
    /// Does nothing.
    public func finish(_ target: any ImageTarget, in slot: ImageSlot) {}
}

/// The pictures that a transition applies to.
///
/// It never applies to previews; see ``BindingOptions/previewTransition``.
public enum TransitionTrigger: Sendable, Hashable, CaseIterable {
    /// Pictures from the network.
    case network
    /// Pictures that the caller waited for: from the network or from disk.
    case waited
    /// All pictures, also from memory.
    case always

    func covers(_ picture: BoundPicture) -> Bool {
        switch self {
        case .network: picture.source == .network
        case .waited: picture.source != .memory
        case .always: true
        }
    }
}

/// Options for a target during a transition.
public struct TransitionOptions: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: UInt8

    /// Creates options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The target accepts input during the change.
    public static let allowsInteraction = TransitionOptions(rawValue: 1 << 0)
    /// The change starts and ends gently.
    public static let easesInAndOut = TransitionOptions(rawValue: 1 << 1)
}

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
