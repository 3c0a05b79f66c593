// SPDX-License-Identifier: MIT
import PlatformBasics
import TaskCoordination

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

    /// The bytes that the entry takes: the content, the key, what the origin has said, and the places in the tables.
    ///
    /// A picture and a file of one original share what the origin has said. It counts for both, since either may leave.
    func cost(for key: MemoryKey) -> Int {
        let name = key.name
        var cost = Self.overhead + HeapSize.of(name.rawValue)
        switch self {
        case .decoded(let picture):
            let image = picture.value.image
            // Each frame is an array of its own.
            cost += HeapSize.ofObject(ImageResponse.Content.self) + image.byteCount + image.heldFrameCount * 72
        case .encoded(let file):
            cost += HeapSize.ofObject(EncodedImage.self) + EncodedImage.Content.overhead + HeapSize.of(file.value.bytes)
        }
        if !name.isOriginal { cost += VariantIndex.overhead }
        guard let origin else { return cost }
        cost += origin.heapByteCount
        // Without a redirect, the name and the address of the response are one text.
        return origin.url.absoluteString.sharesStorage(with: name.rawValue) ? cost - HeapSize.of(name.rawValue) : cost
    }

    /// The places of an entry in the table, and those of two keys that left before it.
    static let overhead =
        MemoryLayout<S3FIFO<MemoryKey, CachedPicture>.Slot>.stride * 3 / 2 + (MemoryLayout<MemoryKey>.stride + 4) * 2
        + 2 * GhostQueue.overhead

    /// What both kinds have of their original.
    private var source: (number: Int, generation: ContentGeneration?, origin: OriginResponse?) {
        switch self {
        case .decoded(let picture): (picture.value.number, picture.value.generation, picture.value.origin)
        case .encoded(let file): (file.value.number, file.value.generation, file.value.origin)
        }
    }

    /// The number of the transfer that brought the content; 0 when it was on disk before.
    var number: Int { source.number }

    /// The content of the original that it is, or was made from; `nil` when it is unknown.
    var generation: ContentGeneration? { source.generation }

    /// What the origin said about the original; `nil` when it is unknown.
    var origin: OriginResponse? { source.origin }

    /// The same after the origin has confirmed the original.
    func renewed(_ origin: OriginResponse, _ number: Int) -> CachedPicture {
        switch self {
        case .decoded(let picture): .decoded(Shared(picture.value.confirmed(origin, number: number)))
        case .encoded(let file): .encoded(Shared(file.value.confirmed(origin, number: number).from(.memory)))
        }
    }

    /// The same, kept under the name of another address.
    var withoutOrigin: CachedPicture {
        switch self {
        case .decoded(let picture):
            var content = picture.value
            content.origin = nil
            return .decoded(Shared(content))
        case .encoded(let file):
            var copy = file.value
            copy.origin = nil
            return .encoded(Shared(copy.from(.memory)))
        }
    }

    /// Whether it is, or was made from, this content.
    func isOf(_ generation: ContentGeneration, number: Int) -> Bool {
        number == self.number || generation == self.generation
    }
}

extension String {
    fileprivate func sharesStorage(with other: String) -> Bool {
        let areSame = unsafe utf8.withContiguousStorageIfAvailable { one in
            unsafe other.utf8.withContiguousStorageIfAvailable { unsafe $0.baseAddress == one.baseAddress }
        }
        return (areSame ?? nil) ?? false
    }
}
