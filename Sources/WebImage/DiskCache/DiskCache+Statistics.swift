// SPDX-License-Identifier: MIT
extension DiskCache {
    /// What a disk cache has done since it was made.
    struct Counters {
        var hits = 0
        var misses = 0
        var stores = 0
        var refusals = 0
        var evictions = 0
        var expirations = 0
        var damagedEntries = 0
        var outdatedEntries = 0
        var abandonedFiles = 0
    }

    /// What a disk cache holds and has done, at one instant.
    public struct Statistics: Sendable, Equatable {
        /// Reads that found an entry.
        public var hits: Int
        /// Reads that found none.
        public var misses: Int
        /// Entries stored.
        public var stores: Int
        /// Entries not stored.
        public var refusals: Int
        /// Entries removed to make room.
        public var evictions: Int
        /// Entries removed because of their age.
        public var expirations: Int
        /// Files found that were no complete entry.
        public var damagedEntries: Int
        /// Entries found that were made from an earlier content of their original.
        public var outdatedEntries: Int
        /// Files removed that ended processes had left unfinished.
        public var abandonedFiles: Int
        /// The sum of the sizes of the files known, in bytes.
        public var totalBytes: Int
        /// The number of files known.
        public var entryCount: Int
        /// Whether the folder has been listed, so that all files are known.
        public var isIndexComplete: Bool

        init(_ counters: Counters, index: DiskIndex, isIndexComplete: Bool) {
            hits = counters.hits
            misses = counters.misses
            stores = counters.stores
            refusals = counters.refusals
            evictions = counters.evictions
            expirations = counters.expirations
            damagedEntries = counters.damagedEntries
            outdatedEntries = counters.outdatedEntries
            abandonedFiles = counters.abandonedFiles
            totalBytes = index.totalBytes
            entryCount = index.count
            self.isIndexComplete = isIndexComplete
        }
    }
}
