/// What the memory cache holds under one key: a decoded picture, or a file.
enum CachedPicture: Sendable {
    /// The answer to a load that finds it.
    case decoded(ImageResponse)
    case encoded(EncodedImage)

    /// The bytes the entry takes, its bookkeeping included.
    var cost: Int {
        switch self {
        case .decoded(let response): response.image.byteCount + 256
        case .encoded(let file): file.bytes.count + 256
        }
    }
}
