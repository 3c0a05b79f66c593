/// How a picture takes the place of another.
///
/// The target performs the change when ``ImageTarget/show(_:in:transition:)`` hands it the transition. The binding
/// calls the two hooks around it and drops the rest of a transition as soon as its slot gets another load or the load
/// is cancelled, so ``finish(_:in:)`` never touches a target that has been reused.
@MainActor
public protocol ImageTransition {
    /// How long the change takes. 500 ms by default.
    var duration: Duration { get }
    /// Which pictures are brought in with it. ``TransitionTrigger/network`` by default.
    var trigger: TransitionTrigger { get }
    /// What the target may do meanwhile. None by default.
    var options: TransitionOptions { get }

    /// Comes just before the picture is shown. Does nothing by default.
    func prepare(_ target: any ImageTarget, in slot: ImageSlot)
    /// Comes when the duration is over. Does nothing by default.
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

/// Which pictures are brought in with a transition.
///
/// Previews never are.
public enum TransitionTrigger: Sendable, Hashable, CaseIterable {
    /// Those from the network.
    case network
    /// Those that were waited for: from the network or from disk.
    case waited
    /// All of them, those from memory too.
    case always

    func covers(_ picture: BoundPicture) -> Bool {
        guard picture.stage != .preview else { return false }
        return switch self {
        case .network: picture.source == .network
        case .waited: picture.source != .memory
        case .always: true
        }
    }
}

/// What a target may do during a transition.
public struct TransitionOptions: OptionSet, Sendable, Hashable {
    /// The bits of the options.
    public let rawValue: UInt8

    /// Creates options from their bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The target takes input meanwhile.
    public static let allowsInteraction = TransitionOptions(rawValue: 1 << 0)
    /// The change starts and ends gently.
    public static let easesInAndOut = TransitionOptions(rawValue: 1 << 1)
}
