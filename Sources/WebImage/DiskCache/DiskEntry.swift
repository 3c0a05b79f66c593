/// What the disk cache keeps for a key: bytes, and what is known about them.
public struct DiskEntry: Sendable, Equatable {
    /// What is known about the bytes.
    public var metadata: EntryMetadata
    /// The body, as it was received or encoded.
    public var bytes: [UInt8]

    /// An entry.
    public init(metadata: EntryMetadata, bytes: [UInt8]) {
        self.metadata = metadata
        self.bytes = bytes
    }
}

/// What became of a store.
public enum StoreOutcome: Sendable {
    /// The entry can be read from now on, also by other processes.
    case stored
    /// The entry was not kept, for this reason. What was stored under the key before may still be there.
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
