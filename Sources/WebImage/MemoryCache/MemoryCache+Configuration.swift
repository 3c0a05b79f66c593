extension MemoryCache {
    /// The limits of a memory cache.
    public struct Configuration: Sendable {
        /// The highest cost of all entries together, in bytes.
        ///
        /// Default: 15 % of the memory that the process may use (the control group's limit, or else the machine's
        /// memory), at most 768 MB.
        public var costLimit: Int
        /// The highest number of entries.
        ///
        /// Default: 100,000.
        public var countLimit: Int

        /// Limits; values below 1 count as 1.
        public init(costLimit: Int = MemoryBudget.defaultCostLimit, countLimit: Int = 100_000) {
            self.costLimit = costLimit
            self.countLimit = countLimit
        }
    }

    /// What a memory cache holds and has done, at one instant.
    public struct Statistics: Sendable, Equatable {
        /// Lookups that found a value.
        public var hits: Int
        /// Lookups that found none.
        public var misses: Int
        /// Entries that had to leave to make room or were trimmed.
        ///
        /// Removed and replaced ones are not counted.
        public var evictions: Int
        /// The cost of the entries held, in bytes.
        public var cost: Int
        /// The number of entries held.
        public var count: Int
    }
}
