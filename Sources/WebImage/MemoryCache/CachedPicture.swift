/// What a memory cache entry is found under. The picture and the file of one original have the same name; each view has
/// an entry of its own, so that each stays as long as it is used.
enum MemoryKey: Sendable, Hashable {
    case picture(CacheKey)
    case file(CacheKey)

    /// The key of the other view.
    var counterpart: MemoryKey {
        switch self {
        case .picture(let name): .file(name)
        case .file(let name): .picture(name)
        }
    }
}

/// What the memory cache holds under one key: a decoded picture, or a file.
enum CachedPicture: Sendable {
    /// The answer to a load that finds it.
    case decoded(ImageResponse)
    /// A file, and the number of the transfer that its content came with.
    case encoded(EncodedImage, number: Int)

    /// The bytes the entry takes, its bookkeeping included.
    var cost: Int {
        switch self {
        case .decoded(let response): response.image.byteCount + 256
        case .encoded(let file, _): file.bytes.count + 256
        }
    }

    /// The number of the transfer that brought the content; 0 when it was on disk before.
    var number: Int {
        switch self {
        case .decoded(let response): response.number
        case .encoded(_, let number): number
        }
    }
}
