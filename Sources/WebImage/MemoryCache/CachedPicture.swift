/// The key of a memory cache entry. The picture and the file of one original have the same name. Each of these two
/// views has an entry of its own, so that each is kept as long as it is used.
enum MemoryKey: Sendable, Hashable {
    case picture(CacheKey)
    case file(CacheKey)

    /// The key of the other view of the same original.
    var counterpart: MemoryKey {
        switch self {
        case .picture(let name): .file(name)
        case .file(let name): .picture(name)
        }
    }
}

/// The value of a memory cache entry: a decoded picture, or a file.
enum CachedPicture: Sendable {
    /// The response for a load that finds it.
    case decoded(ImageResponse)
    /// A file, and the number of the transfer that brought its content.
    case encoded(EncodedImage, number: Int)

    /// The bytes that the entry takes, including its bookkeeping.
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
