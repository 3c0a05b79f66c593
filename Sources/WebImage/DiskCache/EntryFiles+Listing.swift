// SPDX-License-Identifier: MIT
extension EntryFiles {
    /// One entry's file, as a listing shows it.
    struct Listed: Sendable, Equatable {
        var digest: KeyDigest
        /// In bytes, less than 1 TiB, so that the sum for millions of files does not overflow: a sparse file may claim
        /// any size.
        var size: Int
        /// Seconds since 1970, by an unknown clock.
        var modifiedAt: Int64
        /// The use that is noted in the file, in seconds since 1970, by an unknown clock.
        var usedAt: Int64

        init(_ digest: KeyDigest, _ status: FileSystem.Status) {
            self.digest = digest
            size = min(max(0, status.size), DiskIndex.Record.maximumByteCount)
            modifiedAt = status.modifiedAt
            usedAt = status.accessedAt
        }
    }

    /// The existing ones of the 256 folders, or all of them when the cache's folder cannot be listed.
    func presentFolders() -> [String] {
        let listed = try? inRoot { root throws(SystemFailure) in try system.names(in: root) }
        guard let names = listed else { return Self.entryFolders }
        let present = Set(names)
        return Self.entryFolders.filter(present.contains)
    }

    /// The entries in one of the 256 folders; none when it is missing.
    ///
    /// Files that are not named like an entry are skipped.
    ///
    /// - Complexity: O(number of files), one status call each; no file is opened.
    func list(_ folderName: String) throws(SystemFailure) -> [Listed] {
        let listed = try inPresentFolder(folderName) { folder throws(SystemFailure) in
            var listed: [Listed] = []
            for name in try system.names(in: folder) {
                guard let digest = KeyDigest(fileName: name), digest.folder == folderName else { continue }
                // A file may be removed meanwhile.
                let status = try SystemFailure.unlessNotFound { () throws(SystemFailure) in
                    try system.status(of: name, in: folder)
                }
                if let status, status.isRegularFile { listed.append(Listed(digest, status)) }
            }
            return listed
        }
        return listed ?? []
    }

    /// Names of entries in one of the 256 folders, in their order; none when it is missing.
    ///
    /// - Parameters:
    ///   - name: The first one is later in the order.
    ///   - limit: The largest number of names.
    func entryNames(in folderName: String, after name: String, limit: Int) throws(SystemFailure) -> [String] {
        let names = try inPresentFolder(folderName) { folder throws(SystemFailure) in try system.names(in: folder) }
        let later = (names ?? []).filter { $0 > name && KeyDigest(fileName: $0)?.folder == folderName }
        return Array(later.sorted().prefix(limit))
    }

    /// Removes the files that writers left unfinished.
    ///
    /// A writer holds the lock of its file, in every container, so a file with a free lock is abandoned. On a file
    /// system without locks, a file is abandoned when it is an hour old.
    ///
    /// - Parameter now: Seconds since 1970.
    /// - Returns: The number of files removed.
    func removeAbandonedFiles(now: Int64) -> Int {
        let count = try? inFolder(Self.temporaryFolderName) { folder throws(SystemFailure) in
            try system.names(in: folder).count { name in
                Self.isTemporary(name) && removeIfAbandoned(name, in: folder, now: now)
            }
        }
        return count ?? 0
    }

    private func removeIfAbandoned(_ name: String, in folder: FileSystem.Descriptor, now: Int64) -> Bool {
        guard let descriptor = try? system.openForWriting(name, in: folder) else { return false }
        defer { try? system.close(descriptor) }
        guard let status = try? system.status(of: descriptor), status.isRegularFile else { return false }
        // A date in the future counts like one as long ago.
        let isOld = abs(Double(now) - Double(status.modifiedAt)) > 3600
        let isAbandoned = (try? system.lock(descriptor)) ?? isOld
        return isAbandoned && (try? system.unlink(name, in: folder)) != nil
    }
}
