/// How urgent a load is. A flight that several callers share runs at the highest of their priorities.
public enum ImagePriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Work that no caller waits for yet.
    case veryLow
    /// Prefetching.
    case low
    /// The default.
    case normal
    /// A picture that is visible.
    case high
    /// Ahead of everything else.
    case veryHigh

    /// Whether `first` is less urgent than `second`.
    public static func < (first: ImagePriority, second: ImagePriority) -> Bool { first.rawValue < second.rawValue }

    /// The task priority that carries this level through queues and running tasks.
    public var taskPriority: TaskPriority {
        switch self {
        case .veryLow: .background
        case .low: .low
        case .normal: .medium
        case .high: .high
        case .veryHigh: TaskPriority(rawValue: 33)
        }
    }
}
