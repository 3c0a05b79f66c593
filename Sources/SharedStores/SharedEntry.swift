// SPDX-License-Identifier: MIT
import WebImage

/// What shared stores know about an original, in the form of an entry without the original.
enum SharedEntry {
    private static let generation = "generation"
    private static let isGone = "gone"

    /// What is known about an original, without the original.
    static func about(_ metadata: EntryMetadata, for key: CacheKey) -> [UInt8]? {
        var metadata = metadata
        metadata.attributes[generation] = metadata.generation.map { String($0.rawValue) }
        return DiskEntry(metadata: metadata, bytes: []).encoded(for: key)
    }

    /// The word that an original was removed, so that what was made of it does not count.
    static func gone(_ key: CacheKey) -> [UInt8]? {
        DiskEntry(metadata: EntryMetadata(url: "", attributes: [isGone: "yes"]), bytes: []).encoded(for: key)
    }

    /// What is known about an original.
    enum About: Equatable {
        case known(EntryMetadata)
        case gone
        /// No store knows it, and one that may know it was in trouble.
        case unheard
    }

    static func readAbout(_ bytes: [UInt8], for key: CacheKey) -> About? {
        guard var metadata = DiskEntry(encoded: bytes, for: key)?.metadata else { return nil }
        if metadata.attributes[isGone] != nil { return .gone }
        metadata.generation = metadata.attributes.removeValue(forKey: generation)
            .flatMap { UInt64($0) }.map(ContentGeneration.init(rawValue:))
        return .known(metadata)
    }
}
