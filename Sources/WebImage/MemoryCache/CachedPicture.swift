// SPDX-License-Identifier: MIT
/// The key of a memory cache entry. The picture and the file of one original have the same name. Each of these two
/// views has an entry of its own, so that each is kept as long as it is used.
enum MemoryKey: Sendable, Hashable {
    case picture(CacheKey)
    case file(CacheKey)

    var name: CacheKey {
        switch self {
        case .picture(let name), .file(let name): name
        }
    }
}

/// The value of a memory cache entry: a decoded picture, or a file. A look-up copies one reference.
enum CachedPicture: Sendable {
    case decoded(Shared<ImageResponse.Content>)
    case encoded(Shared<EncodedImage>)

    /// The bytes that the entry takes, including its bookkeeping.
    var cost: Int {
        switch self {
        case .decoded(let picture): picture.value.image.byteCount + 256
        case .encoded(let file): file.value.bytes.count + 256
        }
    }

    /// The number of the transfer that brought the content; 0 when it was on disk before.
    var number: Int {
        switch self {
        case .decoded(let picture): picture.value.number
        case .encoded(let file): file.value.number
        }
    }

    /// The content of the original that it is, or was made from; `nil` when it is unknown.
    var generation: ContentGeneration? {
        switch self {
        case .decoded(let picture): picture.value.generation
        case .encoded(let file): file.value.generation
        }
    }

    /// What the origin said about the original; `nil` when it is unknown.
    var origin: OriginResponse? {
        switch self {
        case .decoded(let picture): picture.value.origin
        case .encoded(let file): file.value.origin
        }
    }

    /// The same after the origin has confirmed the original.
    func renewed(_ origin: OriginResponse, _ number: Int) -> CachedPicture {
        switch self {
        case .decoded(let picture): .decoded(Shared(picture.value.confirmed(origin, number: number)))
        case .encoded(let file): .encoded(Shared(file.value.confirmed(origin, number: number).from(.memory)))
        }
    }

    /// Whether it is, or was made from, this content.
    func isOf(_ generation: ContentGeneration, number: Int) -> Bool {
        number == self.number || generation == self.generation
    }
}
