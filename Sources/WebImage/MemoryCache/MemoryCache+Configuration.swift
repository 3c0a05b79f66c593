// SPDX-License-Identifier: MIT
/// The limits of a memory cache.
public struct MemoryLimits: Sendable, Equatable {
    /// The highest cost of all entries together, in bytes.
    ///
    /// Default: 15 % of the memory that the process may use (the control group's limit, or else the machine's memory),
    /// at most 768 MB. 0, and less, stand for no limit.
    public var maximumCost: Int
    /// The highest number of entries.
    ///
    /// Default: 100,000. 0, and less, stand for no limit.
    public var maximumCount: Int
    /// When an entry ends that is stored without an age of its own. Default: never.
    public var age: CacheAge

    /// Creates limits.
    public init(
        maximumCost: Int = MemoryBudget.defaultMaximumCost, maximumCount: Int = 100_000, age: CacheAge = .never
    ) {
        self.maximumCost = maximumCost
        self.maximumCount = maximumCount
        self.age = age
    }

    /// The limits that apply under this pressure, as numbers above 0.
    ///
    /// Without a limit of its own, a cache keeps the share of the default limit while memory is short.
    func effective(under pressure: MemoryPressure) -> (cost: Int, count: Int) {
        let count = maximumCount > 0 ? maximumCount : .max
        guard pressure != .normal else { return (maximumCost > 0 ? maximumCost : .max, count) }
        return (max(1, (maximumCost > 0 ? maximumCost : MemoryBudget.defaultMaximumCost) / pressure.divisor), count)
    }
}

/// What a memory cache holds and has done, at one instant.
public struct MemoryStatistics: Sendable, Equatable {
    /// Lookups that found a value.
    public var hits: Int
    /// Lookups that found none.
    public var misses: Int
    /// Entries that were evicted to make room, or trimmed.
    ///
    /// Removed and replaced entries are not counted.
    public var evictions: Int
    /// The cost of the entries held, in bytes.
    public var cost: Int
    /// The number of entries held.
    public var count: Int
}

extension MemoryCache {
    /// What a memory cache may hold.
    public typealias Configuration = MemoryLimits

    /// What a memory cache holds and has done, at one instant.
    public typealias Statistics = MemoryStatistics
}

/// How short of memory the process or the machine is; a higher level is worse.
///
/// The levels of Dispatch's memory pressure events. On Linux, `warning` stands for some tasks that wait for memory and
/// `critical` for all of them.
///
/// - Source: Linux kernel documentation, `psi.rst`: "some" and "full".
public enum MemoryPressure: Sendable, CaseIterable, Comparable {
    /// There is enough memory.
    case normal
    /// Memory is short.
    case warning
    /// The system may end the process because memory is short.
    case critical

    /// The part of its cost limit that a cache keeps, as a divisor.
    var divisor: Int {
        switch self {
        case .normal: 1
        case .warning: 2
        case .critical: 8
        }
    }
}
