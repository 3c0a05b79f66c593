/// Whether a target is visible to the user.
public enum TargetVisibility: Sendable, Hashable, CaseIterable {
    /// On the screen: loads run at the priority of their request, and animations play.
    case visible
    /// About to appear: loads run at `ImagePriority.low` at most, and animations pause.
    case near
    /// Not visible: ``BindingOptions/whenHidden`` decides about loads, and animations pause.
    case hidden

    /// The priority of a load for a target with this visibility.
    func priority(for request: ImageRequest) -> ImagePriority {
        switch self {
        case .visible: request.priority
        case .near: min(request.priority, .low)
        case .hidden: min(request.priority, .veryLow)
        }
    }
}
