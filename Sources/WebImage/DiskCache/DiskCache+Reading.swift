// SPDX-License-Identifier: MIT
internal import Synchronization

extension DiskCache {
    /// The entry stored for `key`, read and verified.
    ///
    /// - Returns: `nil` when there is none, when it is too old, from the future or damaged (then it is removed), when
    ///   the disk cannot be read, or when the cache was shut down.
    /// - Throws: `CancellationError` only.
    /// - Complexity: One open, one status, one read, and another one for the body above 1 MiB; O(size) for the
    ///   checksum.
    @concurrent
    public nonisolated func entry(for key: CacheKey) async throws -> DiskEntry? {
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
    /// - Complexity: That of ``entry(for:)``, and one open, one status and one read for the original, all in one step
    ///   on a thread of the cache.
    @concurrent
    public nonisolated func entry(for key: CacheKey, madeFrom original: CacheKey) async throws -> DiskEntry? {
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
    @concurrent
    public nonisolated func metadata(for key: CacheKey) async throws -> EntryMetadata? {
        try await find(key, withBody: false)?.metadata
    }

    private nonisolated func find(
        _ key: CacheKey, madeFrom original: CacheKey? = nil, withBody: Bool
    ) async throws -> DiskEntry? {
        try Task.checkCancellation()
        let digest = KeyDigest(of: key)
        let early = lookInMemory(key, digest, madeFrom: original, withBody: withBody)
        return try await answer(early, key, digest, madeFrom: original, withBody: withBody)
    }

    /// What the system has in memory of a file, read by the caller; `nil` when that does not decide.
    ///
    /// Answers for an entry that counts, and for a missing file.
    private nonisolated func lookInMemory(
        _ key: CacheKey, _ digest: KeyDigest, madeFrom original: CacheKey?, withBody: Bool
    ) -> EntryFiles.Finding? {
        guard readsInMemory.load(ordering: .relaxed) else { return nil }
        do throws(SystemFailure) {
            let finding = try files.inMemory.lookUp(
                key, digest, madeFrom: original, lifetime: lifetime, usedAt: 0,
                fileSizeLimit: min(fileSizeLimit, EntryFiles.unquestionedSize), withBody: withBody)
            switch finding {
            case .entry, .nothing: return finding
            case .otherKey, .expired, .outdated, .damaged: return nil
            }
        } catch {
            if error.isAboutMemory { readsInMemory.store(false, ordering: .relaxed) }
            return nil
        }
    }

    /// Ends a look-up: with what its caller has found in memory, by the index, or by a thread.
    private func answer(
        _ early: EntryFiles.Finding?, _ key: CacheKey, _ digest: KeyDigest, madeFrom original: CacheKey?,
        withBody: Bool
    ) async throws -> DiskEntry? {
        guard try begin() else { return nil }
        defer { end() }
        if let finding = early ?? (isMissing(digest) ? .nothing : nil) { return count(finding, digest) }
        let (limit, lifetime, usedAt) = (fileSizeLimit, self.lifetime, Int64(index[digest]?.usedAt ?? 0))
        let result = try await attempt { files throws(SystemFailure) in
            try files.lookUp(
                key, digest, madeFrom: original, lifetime: lifetime, usedAt: usedAt, fileSizeLimit: limit,
                withBody: withBody)
        }
        switch result {
        case .success(let finding):
            if let entry = count(finding, digest) { return entry }
            if let status = finding.useless { try await discard(digest, status) }
        case .failure(let failure):
            counters.misses += 1
            warn(CacheError(failure, path: files.path(of: digest)), during: .reading)
        case nil:
            counters.misses += 1
        }
        return nil
    }

    /// Whether the folder has no such file for certain: the index has every entry while no other cache stores.
    ///
    /// A store of another cache that ends after the look at the account also returns after it.
    private func isMissing(_ digest: KeyDigest) -> Bool {
        guard !foreign.hasChanged, changedDuringListing == nil, index[digest] == nil, let found = account.look() else {
            return false
        }
        learn(found)
        return !foreign.hasChanged
    }

    /// Counts what a look-up found, and compares it with the index.
    private func count(_ finding: EntryFiles.Finding, _ digest: KeyDigest) -> DiskEntry? {
        switch finding {
        case .entry(let entry, let status):
            warnings.recover(.reading)
            counters.hits += 1
            index.touch(digest, at: now, entry.metadata)
            compare(digest, found: status.size)
            return entry
        case .nothing:
            compare(digest, found: nil)
        case .otherKey:
            break
        case .expired:
            warnings.recover(.reading)
            counters.expirations += 1
        case .damaged:
            counters.damagedEntries += 1
        case .outdated:
            counters.outdatedEntries += 1
        }
        counters.misses += 1
        return nil
    }

    /// Removes this file, unless another one has replaced it, and corrects the index.
    ///
    /// - Returns: Whether no file is left.
    @discardableResult
    func discard(_ digest: KeyDigest, _ status: FileSystem.Status) async throws -> Bool {
        let result = try await inTurn(of: digest, during: .removing) { files throws(SystemFailure) in
            try files.remove(digest, onlyIf: status)
        }
        if case .success(nil) = result { return true }
        return false
    }

    /// Runs a step on a file when no other operation changes it, and notes in the index what it has left there.
    ///
    /// - Parameter step: Returns the file that is there now; `nil` for none.
    /// - Returns: `nil` when no thread has taken the step.
    @discardableResult
    func inTurn(
        of digest: KeyDigest, during sort: WarningGate.Sort,
        _ step: @escaping @Sendable (EntryFiles) throws(SystemFailure) -> EntryFiles.Listed?
    ) async throws -> Result<EntryFiles.Listed?, SystemFailure>? {
        try await takeTurn(digest)
        defer { passTurn(digest) }
        let result = try await attempt(step)
        switch result {
        case .success(let found):
            warnings.recover(sort)
            note(digest, size: found?.size, storedAt: found?.modifiedAt ?? 0)
        case .failure(let failure): warn(CacheError(failure, path: files.path(of: digest)), during: sort)
        case nil: break
        }
        return result
    }
}
