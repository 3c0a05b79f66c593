// SPDX-License-Identifier: MIT
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
        /// What a prefetch makes of each request. ``Outcome/picture`` by default.
        public var outcome = Outcome.picture

        /// What a prefetch makes of a request.
        public enum Outcome: Sendable, Hashable {
            /// The decoded and transformed picture, as ``ImageManager/load(_:)``.
            case picture
            /// The file that ``ImageManager/encodedImage(for:as:onProgress:)`` makes.
            case file(OutputFormat)
            /// The original alone, which is not decoded. Transformers do not matter.
            ///
            /// Only its header is read, so it may be a picture that is broken: the load that shows it finds out, and
            /// downloads it again.
            case download
        }

        /// Creates a configuration with the defaults.
        public init() {}
    }
}
