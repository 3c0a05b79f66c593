// SPDX-License-Identifier: MIT
extension DiskCache {
    /// The entry stored for `key`, read and verified.
    ///
    /// - Returns: `nil` when there is none, when it is too old, from the future or damaged (then it is removed), when
    ///   the disk cannot be read, or when the cache was shut down.
    /// - Throws: `CancellationError` only.
    /// - Complexity: One open, one status, two reads; O(size) for the checksum.
    public func entry(for key: CacheKey) async throws -> DiskEntry? {
        try await find(key, withBody: true)
    }

    /// The entry stored for `key`, unless it was made from another content than `original` has now.
    ///
    /// An entry counts when it does not say what it was made from, or when no original is stored. An entry of another
    /// content is removed and is a miss.
    ///
    /// - Parameters:
    ///   - key: The key of a variant or a file.
    ///   - original: The key of the picture that it was made from. Only what stands before its bytes is read. This
    ///     does not count as a use.
    /// - Returns: `nil` where ``entry(for:)`` would return `nil`, and for an entry of another content.
    /// - Throws: `CancellationError` only.
    /// - Complexity: That of ``entry(for:)``, and one open, one status and one read for the original, all in one step on
    ///   a thread of the cache.
    public func entry(for key: CacheKey, madeFrom original: CacheKey) async throws -> DiskEntry? {
        try await find(key, madeFrom: original, withBody: true)
    }

    /// The metadata stored for `key`, verified.
    ///
    /// The body is not read and may be damaged.
    ///
    /// Counts as a use.
    ///
    /// - Returns: `nil` where ``entry(for:)`` would return `nil`.
    /// - Throws: `CancellationError` only.
    public func metadata(for key: CacheKey) async throws -> EntryMetadata? {
        try await find(key, withBody: false)?.metadata
    }

    /// Whether there is an entry for `key`.
    ///
    /// Reads the file, as ``metadata(for:)`` does.
    ///
    /// - Throws: `CancellationError` only.
    public func contains(_ key: CacheKey) async throws -> Bool {
        try await metadata(for: key) != nil
    }

    private func find(
        _ key: CacheKey, madeFrom original: CacheKey? = nil, withBody: Bool
    ) async throws -> DiskEntry? {
        try Task.checkCancellation()
        guard begin() else { return nil }
        defer { end() }
        let (digest, files, limit, lifetime) = (KeyDigest(of: key), self.files, fileSizeLimit, self.lifetime)
        let usedAt = Int64(index[digest]?.usedAt ?? 0)
        let result = try await perform {
            Result { () throws(SystemFailure) in
                try files.lookUp(
                    key, digest, madeFrom: original, lifetime: lifetime, usedAt: usedAt, fileSizeLimit: limit,
                    withBody: withBody)
            }
        }
        switch result {
        case .success(.entry(let entry, let status)):
            warnings.recover(.reading)
            counters.hits += 1
            index.touch(digest, at: now, keptUntil: entry.metadata.keptUntil)
            compare(digest, found: status.size)
            return entry
        case .success(.expired(let status)):
            warnings.recover(.reading)
            counters.misses += 1
            counters.expirations += 1
            try await discard(digest, status)
        case .success(.damaged(let status)):
            counters.misses += 1
            counters.damagedEntries += 1
            try await discard(digest, status)
        case .success(.outdated(let status)):
            counters.misses += 1
            counters.outdatedEntries += 1
            try await discard(digest, status)
        case .success(.nothing):
            counters.misses += 1
            compare(digest, found: nil)
        case .success(.otherKey), nil:
            counters.misses += 1
        case .failure(let failure):
            counters.misses += 1
            warn(CacheError(failure, path: files.path(of: digest)), during: .reading)
        }
        return nil
    }

    /// Removes this file, unless another one has replaced it, and corrects the index.
    private func discard(_ digest: KeyDigest, _ status: FileSystem.Status) async throws {
        try await takeTurn(digest)
        defer { passTurn(digest) }
        let files = self.files
        let result = try await perform {
            Result { () throws(SystemFailure) in try files.remove(digest, onlyIf: status) }
        }
        settle(digest, result, during: .removing)
    }

    /// Updates the index with what a step found in the place of a file.
    func settle(
        _ digest: KeyDigest, _ result: Result<EntryFiles.Listed?, SystemFailure>?, during sort: WarningGate.Sort
    ) {
        switch result {
        case .success(let found):
            note(digest, size: found?.size, storedAt: found?.modifiedAt ?? 0)
        case .failure(let failure):
            warn(CacheError(failure, path: files.path(of: digest)), during: sort)
        case nil:
            break
        }
    }
}
