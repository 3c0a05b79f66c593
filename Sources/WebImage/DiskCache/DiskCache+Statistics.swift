// SPDX-License-Identifier: MIT
extension DiskCache {
    /// What a disk cache holds and has done, at one instant.
    public struct Statistics: Sendable, Equatable {
        /// Reads that found an entry.
        public var hits = 0
        /// Reads that found none.
        public var misses = 0
        /// Entries stored.
        public var stores = 0
        /// Entries not stored.
        public var refusals = 0
        /// Entries removed to make room.
        public var evictions = 0
        /// Entries removed because of their age.
        public var expirations = 0
        /// Files found that were no complete entry.
        public var damagedEntries = 0
        /// Entries found that were made from an earlier content of their original.
        public var outdatedEntries = 0
        /// Files removed that ended processes had left unfinished.
        public var abandonedFiles = 0
        /// The sum of the sizes of the files known, in bytes.
        public var totalBytes = 0
        /// The number of files known.
        public var entryCount = 0
        /// Whether the folder has been listed, so that all files are known.
        public var isIndexComplete = false
    }

    /// What the cache holds, as far as is known, and has done.
    ///
    /// Does not wait.
    public var statistics: Statistics {
        var statistics = counters
        (statistics.totalBytes, statistics.entryCount) = (index.totalBytes, index.count)
        statistics.isIndexComplete = isIndexed
        return statistics
    }
}
