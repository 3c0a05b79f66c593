/// How much of a target a person can see.
public enum TargetVisibility: Sendable, Hashable, CaseIterable {
    /// On the screen: loads run at the priority of their request, and animations play.
    case visible
    /// About to appear: loads run at ``ImagePriority/low`` at most, and animations pause.
    case near
    /// Out of sight: ``BindingOptions/whenHidden`` decides about loads, and animations pause.
    case hidden

    /// The priority of a load for a target that is seen like this.
    func priority(for request: ImageRequest) -> ImagePriority {
        switch self {
        case .visible: request.priority
        case .near: min(request.priority, .low)
        case .hidden: min(request.priority, .veryLow)
        }
    }
}
