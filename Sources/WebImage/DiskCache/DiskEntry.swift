/// What the disk cache keeps for a key: bytes, and what is known about them.
public struct DiskEntry: Sendable, Equatable {
    private var shared: Shared<EntryMetadata>

    /// The body, as it was received or encoded.
    public var bytes: [UInt8]

    /// Creates an entry.
    public init(metadata: EntryMetadata, bytes: [UInt8]) {
        shared = Shared(metadata)
        self.bytes = bytes
    }

    /// What is known about the bytes.
    public var metadata: EntryMetadata {
        get { shared.value }
        set { shared = Shared(newValue) }
    }

    /// Whether both have equal bytes and equal metadata.
    public static func == (one: DiskEntry, other: DiskEntry) -> Bool {
        one.bytes == other.bytes && one.metadata == other.metadata
    }
}
