// SPDX-License-Identifier: MIT
import HTTPCaching
import HTTPTransport
import ImageCoding
import PlatformBasics

/// The file that a picture is made from, and what is known about it. An object, because a load passes it from stage to
/// stage.
final class Original: Sendable {
    /// How a load came by it.
    enum Arrival: Sendable {
        /// Memory held it, because there is no disk cache, and the origin was not asked.
        case memory
        /// It was on disk, and the origin was not asked.
        case disk
        /// It was on disk or in memory, and the origin has confirmed it.
        case confirmed
        /// A transfer brought it.
        case network
        /// The program has it.
        case program

        /// Whether it comes from a cache, which may have a broken copy.
        var isStored: Bool { self != .network && self != .program }
    }

    let bytes: [UInt8]
    let arrival: Arrival
    /// The number of the transfer that brought or confirmed it; 0 for what was on disk before.
    let number: Int
    /// What the origin said about it; `nil` for an entry that was not made of a response.
    let origin: OriginResponse?
    /// The entry on disk, when there is one.
    private let entry: DiskEntry?
    /// What is known to tell its content from any other.
    private let knownGeneration: ContentGeneration?
    /// Keeps the order of the address's contents while a load has this one in hand.
    private let claim: ContentOrder.Claim?
    /// The part of the memory for pictures that the bytes hold; `nil` when a cache or a caller holds them.
    private let share: OriginalShare?

    private init(
        _ bytes: [UInt8], _ arrival: Arrival, number: Int, origin: OriginResponse?, entry: DiskEntry? = nil,
        generation: ContentGeneration? = nil, claim: ContentOrder.Claim? = nil, share: OriginalShare? = nil
    ) {
        (self.claim, self.share) = (claim, share)
        knownGeneration = generation ?? entry?.metadata.generation
        self.bytes = bytes
        self.arrival = arrival
        self.number = number
        self.origin = origin
        self.entry = entry
    }

    convenience init(_ entry: DiskEntry, _ share: OriginalShare) {
        self.init(entry.bytes, .disk, number: 0, origin: entry.metadata.origin, entry: entry, share: share)
    }

    /// - Parameter file: The original, as memory holds it.
    convenience init(_ file: EncodedImage) {
        self.init(file.bytes, .memory, number: file.number, origin: file.origin, generation: file.generation)
    }

    /// - Parameters:
    ///   - bytes: The file that the program has.
    ///   - number: The number of the last transfer before it, when it takes the place of what that one brought.
    ///   - share: What it takes of the memory for pictures.
    convenience init(ofProgram bytes: [UInt8], number: Int = 0, _ share: OriginalShare? = nil) {
        self.init(bytes, .program, number: number, origin: nil, generation: ContentGeneration(of: bytes), share: share)
    }

    /// - Parameter origin: What the origin said, if more is known than the transfer knows.
    convenience init(_ download: Download, _ origin: OriginResponse? = nil) {
        self.init(
            download.bytes, .network, number: download.number, origin: origin ?? download.origin,
            claim: download.claim, share: download.share)
    }

    /// The same file, after the origin has confirmed that it is still valid.
    func confirmed(by download: Download, _ rules: HTTPCacheRules) -> Original {
        let origin = origin?.renewed(by: download.origin, rules)
        var entry = entry
        if let origin { entry?.metadata.note(origin) }
        return Original(
            bytes, .confirmed, number: download.number, origin: origin, entry: entry, generation: knownGeneration,
            claim: download.claim, share: share)
    }

    /// The original for code whose memory counts elsewhere.
    var uncounted: Original {
        if share == nil { return self }
        return Original(
            bytes, arrival, number: number, origin: origin, entry: entry, generation: knownGeneration, claim: claim)
    }

    /// The original with other bytes, as a cache serializer makes them.
    func replaced(by bytes: [UInt8]) -> Original {
        Original(bytes, arrival, number: number, origin: origin, claim: claim)
    }

    var source: ImageSource {
        switch arrival {
        case .network: .network
        case .program: .program
        case .memory: .memory
        case .disk: .disk
        case .confirmed: entry == nil ? .memory : .disk
        }
    }

    /// The media type that the origin named.
    var contentType: String? { origin?.headers["Content-Type"] }

    /// The format that the origin named, for a file without a signature. In the formats of the web every file has one.
    var declaredFormat: ImageFormat? {
        guard ImageFormat(sniffing: bytes) == nil, let format = contentType.flatMap({ ImageFormat(mimeType: $0) })
        else { return nil }
        return [.jpeg, .png, .gif, .webp].contains(format) ? nil : format
    }

    /// Whether both are the same content, by what is known without reading it.
    func isSameContent(as other: Original) -> Bool {
        if self === other { return true }
        if let own = knownGeneration, let its = other.knownGeneration { return own == its }
        return number != 0 && number == other.number
    }

    /// What tells its content from any other; it is kept with everything that is made from it.
    ///
    /// - Complexity: O(number of bytes), at about the speed of memory; O(1) for one from a cache.
    var generation: ContentGeneration { knownGeneration ?? ContentGeneration(of: bytes) }

    /// The entry to write to disk.
    ///
    /// - Parameter selectors: The values of the request's fields that the response varies by.
    func entry(
        _ properties: ImageProperties, _ damage: ImageDamage, url: URL, _ selectors: [String: String]
    ) -> DiskEntry {
        var metadata = origin.map { EntryMetadata($0, url: url) } ?? EntryMetadata(url: url.absoluteString)
        metadata.describe(properties)
        metadata.damage = damage
        metadata.varySelectors = selectors
        return DiskEntry(metadata: metadata, bytes: bytes)
    }

    func encoded(_ properties: ImageProperties, _ damage: ImageDamage) -> EncodedImage {
        var file = EncodedImage(
            bytes: bytes, format: properties.format, width: properties.width, height: properties.height,
            frameCount: properties.frameCount ?? 1, source: source, origin: origin)
        (file.number, file.damage) = (number, damage)
        return file
    }
}
