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
