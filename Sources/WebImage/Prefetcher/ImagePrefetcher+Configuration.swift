extension ImagePrefetcher {
    /// How eager an ``ImagePrefetcher`` is.
    public struct Configuration: Sendable {
        /// How many loads run at once, over all lists. At least 1; a smaller number counts as 1. 3 by default.
        public var maximumConcurrentLoads = 3
        /// The priority of every load, whatever its request says. ``ImagePriority/low`` by default.
        public var priority = ImagePriority.low
        /// The caches that are filled, as far as the request allows it. Both by default; with ``CacheTiers/disk``
        /// alone a prefetch does not push what is being looked at out of the memory.
        public var destination = CacheTiers.all

        /// Creates a configuration of defaults.
        public init() {}
    }
}
