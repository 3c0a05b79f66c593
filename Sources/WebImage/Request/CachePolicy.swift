// SPDX-License-Identifier: MIT
/// Which pictures a load accepts: the cached one, the origin's, or first the one and then the other.
public enum CachePolicy: Sendable, Hashable, CaseIterable {
    /// The cached picture is used up to the cache's own age limit; the origin is asked only on a miss. The default.
    case cacheFirst
    /// HTTP's rules decide: a fresh picture is used, a stale one is validated, and what may not be kept is not kept.
    /// See ``ImageManager/Configuration/cacheRules``.
    case http
    /// The origin is asked with the validators of the cached original; a 304 serves the cached original.
    case revalidate
    /// Like ``revalidate``, but `events(for:)` delivers the cached picture first.
    case refreshCached
    /// The origin is asked unconditionally; the caches are written, not read.
    case reload
    /// The origin is never asked; a miss ends with ``ImageLoadError/Code/notInCache``.
    case onlyIfCached

    var readsCachesFirst: Bool { self == .cacheFirst || self == .onlyIfCached }
    var sendsValidators: Bool { self == .revalidate || self == .refreshCached }
}

/// A set of cache tiers.
public struct CacheTiers: OptionSet, Sendable, Hashable {
    /// One bit for each tier.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The memory cache.
    public static let memory = CacheTiers(rawValue: 1)
    /// The disk cache.
    public static let disk = CacheTiers(rawValue: 2)
    /// Memory and disk.
    public static let all: CacheTiers = [.memory, .disk]
}

/// The tiers that a load uses for each kind of content.
///
/// One set of tiers stands for all three kinds: `request.cacheReads = .disk`.
public struct CacheAccess: Sendable, Hashable {
    /// The file as the origin sent it.
    public var original: CacheTiers
    /// The decoded picture, transformed or not. In memory as pixels; on disk only when it is transformed.
    public var variant: CacheTiers
    /// The file that ``ImageManager/encodedImage(for:as:onProgress:)`` makes.
    public var file: CacheTiers

    /// Creates a value. Every tier by default.
    public init(original: CacheTiers = .all, variant: CacheTiers = .all, file: CacheTiers = .all) {
        self.original = original
        self.variant = variant
        self.file = file
    }

    /// Creates a value with the same tiers for every kind.
    public init(_ tiers: CacheTiers) { self.init(original: tiers, variant: tiers, file: tiers) }

    /// Memory and disk for every kind.
    public static let all = CacheAccess(.all)
    /// Memory alone for every kind.
    public static let memory = CacheAccess(.memory)
    /// The disk alone for every kind.
    public static let disk = CacheAccess(.disk)
    /// No cache.
    public static let none = CacheAccess([])

    /// The tiers that both use, for each kind.
    package func intersection(_ tiers: CacheTiers) -> CacheAccess { intersection(CacheAccess(tiers)) }

    /// The tiers that both use, for each kind.
    func intersection(_ other: CacheAccess) -> CacheAccess {
        CacheAccess(
            original: original.intersection(other.original), variant: variant.intersection(other.variant),
            file: file.intersection(other.file))
    }
}

/// How urgent a load is. A flight that several callers share runs at the highest of their priorities.
public enum ImagePriority: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Work that no caller waits for yet.
    case veryLow
    /// Prefetching.
    case low
    /// The default.
    case normal
    /// A picture that is visible.
    case high
    /// Ahead of everything else.
    case veryHigh

    /// Whether `first` is less urgent than `second`.
    public static func < (first: ImagePriority, second: ImagePriority) -> Bool { first.rawValue < second.rawValue }

    /// The task priority that carries this level through queues and running tasks.
    package var taskPriority: TaskPriority {
        switch self {
        case .veryLow: .background
        case .low: .low
        case .normal: .medium
        case .high: .high
        case .veryHigh: TaskPriority(rawValue: 33)
        }
    }
}
