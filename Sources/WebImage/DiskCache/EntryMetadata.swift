// SPDX-License-Identifier: MIT
/// What is known about the bytes of a cache entry.
public struct EntryMetadata: Sendable, Hashable, Codable {
    /// Where the bytes came from.
    public var url: String
    /// The media type that the server named, such as `image/webp`.
    public var contentType: String?
    /// The name of the picture's format.
    public var format: String?
    /// The picture's width, in pixels.
    public var pixelWidth: Int?
    /// The picture's height, in pixels.
    public var pixelHeight: Int?
    /// The number of frames.
    public var frameCount: Int?
    /// The status of the response.
    public var httpStatus: Int?
    /// The entity tag, as received, with quotes and `W/`.
    public var etag: String?
    /// The `Last-Modified` field, as received.
    public var lastModified: String?
    /// When the server says it answered, in seconds since 1970.
    public var responseDate: Int64?
    /// The content of the entry.
    ///
    /// The store sets it from the bytes.
    public var generation: ContentGeneration?
    /// The content of the original that a variant or a file was made from.
    ///
    /// See ``CacheStoring/entry(for:madeFrom:)``.
    public var madeFrom: ContentGeneration?
    /// When the entry was stored, in seconds since 1970.
    ///
    /// The cache sets it to the time of its own clock. The entry's age is counted from it.
    public var storedAt: Int64
    /// The entry ends at this time, in seconds since 1970, even when the cache keeps others longer.
    ///
    /// From then on it is a miss, and it is removed. `nil` when the limits of the cache decide alone.
    public var keptUntil: Int64?
    /// How long a disk keeps the entry, in place of its own limit of age; `nil` for that.
    public var age: CacheAge?
    /// How long shared stores keep the entry, in place of their own limit; `nil` for that.
    public var sharedAge: CacheAge?
    /// When the response stops being fresh, in seconds since 1970.
    ///
    /// The cache keeps stale entries, because they can be revalidated.
    public var expiresAt: Int64?
    /// The request's values of the fields that the response's `Vary` names, by lower-case field name.
    public var varySelectors: [String: String]
    /// Further values that a caller keeps.
    public var attributes: [String: String]

    /// Creates metadata. Values that are not given are unknown.
    public init(
        url: String, contentType: String? = nil, format: String? = nil, pixelWidth: Int? = nil,
        pixelHeight: Int? = nil, frameCount: Int? = nil, httpStatus: Int? = nil, etag: String? = nil,
        lastModified: String? = nil, responseDate: Int64? = nil, generation: ContentGeneration? = nil,
        madeFrom: ContentGeneration? = nil, storedAt: Int64 = 0, keptUntil: Int64? = nil, expiresAt: Int64? = nil,
        varySelectors: [String: String] = [:], attributes: [String: String] = [:]
    ) {
        self.url = url
        self.contentType = contentType
        self.format = format
        self.pixelWidth = pixelWidth
        self.pixelHeight = pixelHeight
        self.frameCount = frameCount
        self.httpStatus = httpStatus
        self.etag = etag
        self.lastModified = lastModified
        self.responseDate = responseDate
        self.generation = generation
        self.madeFrom = madeFrom
        self.storedAt = storedAt
        self.keptUntil = keptUntil
        self.expiresAt = expiresAt
        self.varySelectors = varySelectors
        self.attributes = attributes
    }
}

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
