/// Where a picture came from.
public enum ImageSource: String, Sendable, Hashable, CaseIterable {
    /// The memory cache.
    case memory
    /// The disk cache: the variant itself, or the original that it was made from.
    case disk
    /// The origin.
    case network
}
