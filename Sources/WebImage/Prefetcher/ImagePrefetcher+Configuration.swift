extension ImagePrefetcher {
    /// The limits and the priority of an ``ImagePrefetcher``.
    public struct Configuration: Sendable {
        /// The largest number of loads that run at once, over all lists. At least 1; a smaller number counts as 1. 3 by
        /// default.
        public var maximumConcurrentLoads = 3
        /// The priority of every load, whatever its request says. ``ImagePriority/low`` by default.
        public var priority = ImagePriority.low
        /// The caches that are filled, as far as the request allows it. Both by default. With ``CacheTiers/disk`` alone
        /// a prefetch does not evict visible pictures from memory.
        public var destination = CacheTiers.all

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
