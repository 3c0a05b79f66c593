// SPDX-License-Identifier: MIT
extension DiskCache {
    /// The file of an entry.
    public struct EntryFile: Sendable, Hashable {
        /// The file. It holds the entry as a whole: a header, the metadata, and then the picture.
        public let path: String
        /// Its size, in bytes.
        public let byteCount: Int
        /// The number of the user who owns it.
        public let ownerID: UInt32
        /// When it was made, in seconds since 1970; `nil` where the file system does not keep it.
        public let createdAt: Int64?
        /// When the entry was stored or renewed, in seconds since 1970.
        public let storedAt: Int64
        /// The last use that the file knows of, in seconds since 1970. It notes uses in steps of a sixteenth of the
        /// age limit, at most a day.
        public let usedAt: Int64
        /// What is known about the entry.
        public let metadata: EntryMetadata
    }

    /// The file of the entry stored for `key`; does not count as a use.
    ///
    /// - Returns: `nil` when there is none, also when it is damaged or the folder cannot be read. An entry that is too
    ///   old has a file until it is removed.
    /// - Throws: `CancellationError` only.
    public func file(for key: CacheKey) async throws -> EntryFile? {
        guard try begin() else { return nil }
        defer { end() }
        let (limit, digest) = (fileSizeLimit, KeyDigest(of: key))
        let found = try await attempt { files throws(SystemFailure) -> EntryFile? in
            guard
                case .entry(let entry, let status) = try files.read(
                    key, digest, fileSizeLimit: limit, withBody: false)
            else { return nil }
            let created = try files.inFolder(digest.folder) { folder in
                files.system.creationTime(of: digest.fileName, in: folder)
            }
            return EntryFile(
                path: files.path(of: digest), byteCount: status.size, ownerID: status.ownerID, createdAt: created,
                storedAt: entry.metadata.storedAt, usedAt: status.accessedAt, metadata: entry.metadata)
        }
        return try? found?.get()
    }
}
