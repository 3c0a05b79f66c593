// SPDX-License-Identifier: MIT
/// When an entry of a cache ends, in place of the cache's own limit of age. A full cache may evict it earlier.
///
/// Disks and shared stores count whole seconds.
public enum CacheAge: Sendable, Hashable, Codable {
    /// So long after it was stored. 0, and less, end it at once.
    case absolute(Duration)
    /// So long after its last use. 0, and less, end it at once.
    case sliding(Duration)
    /// Never.
    case never

    /// As a number: 1 for never, else twice the seconds and two more, and one more where each use counts.
    var code: Int64 {
        guard let length else { return 1 }
        return (isSliding ? 3 : 2) + 2 * min(max(0, length.wholeSeconds), Self.longest)
    }

    /// Thousands of years, in seconds.
    private static let longest: Int64 = 1 << 40

    /// `nil` for a number that is no code.
    init?(code: Int64) {
        guard code > 0 else { return nil }
        let age = Duration.seconds((code - 2) / 2)
        self = code == 1 ? .never : code & 1 == 0 ? .absolute(age) : .sliding(age)
    }

    /// Whether each use prolongs it.
    package var isSliding: Bool { if case .sliding = self { true } else { false } }

    /// How long it lasts without a use; `nil` for ever.
    package var length: Duration? {
        switch self {
        case .absolute(let age), .sliding(let age): age
        case .never: nil
        }
    }
}

/// How long the caches keep what a load stores. `nil` stands for the cache's own limit of age.
///
/// ```swift
/// request.lifetime = CacheLifetime(memory: .sliding(.seconds(60)), disk: .never)
/// ```
///
/// It belongs to what is stored: a hit with another lifetime changes nothing, and a confirmation by the origin counts
/// as a store on disk. Requests that differ in it share a transfer and its original, and store their results each.
public struct CacheLifetime: Sendable, Hashable {
    /// In memory; without it as ``MemoryLimits/age``.
    public var memory: CacheAge?
    /// On disk; without it as ``DiskCache/Configuration/maximumAge``.
    public var disk: CacheAge?
    /// In stores that several machines share; without it as their configuration says.
    ///
    /// A store that cannot prolong the life of an entry counts ``CacheAge/sliding(_:)`` from the store.
    public var shared: CacheAge?

    /// Creates a value.
    public init(memory: CacheAge? = nil, disk: CacheAge? = nil, shared: CacheAge? = nil) {
        (self.memory, self.disk, self.shared) = (memory, disk, shared)
    }

    /// Creates a value with one age for all caches.
    public init(_ age: CacheAge) { self.init(memory: age, disk: age, shared: age) }

    /// What makes an entry with these ages.
    func stamping(_ making: @escaping WriteBehind.Making) -> WriteBehind.Making {
        if disk == nil, shared == nil { return making }
        return {
            guard var entry = try await making() else { return nil }
            (entry.metadata.age, entry.metadata.sharedAge) = (disk, shared)
            return entry
        }
    }
}
