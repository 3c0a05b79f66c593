/// The result of a store.
public enum StoreOutcome: Sendable {
    /// The entry can be read from now on, also by other processes.
    case stored
    /// The entry was not kept, for this reason. The earlier entry may still be there.
    case notStored(CacheError)

    /// Whether the entry was kept.
    public var isStored: Bool {
        if case .stored = self { true } else { false }
    }

    /// Why the entry was not kept.
    public var error: CacheError? {
        if case .notStored(let error) = self { error } else { nil }
    }
}
