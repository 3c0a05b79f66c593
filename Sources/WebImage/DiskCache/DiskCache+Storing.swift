// SPDX-License-Identifier: MIT
extension DiskCache {
    /// Stores an entry in place of an earlier one.
    ///
    /// Readers see the earlier entry until the new one is complete.
    ///
    /// - Parameters:
    ///   - entry: Its `storedAt` is replaced by the cache's time, and its `generation` by that of its bytes.
    ///   - key: The key of the entry.
    /// - Returns: `.notStored` with the reason when the entry is above the largest size, when the disk is
    ///   full, cannot be written or is overloaded, or when the cache was shut down. After a full disk, stores are
    ///   refused for one second without being tried.
    /// - Throws: `CancellationError` only, and then nothing was stored.
    public func store(_ entry: DiskEntry, for key: CacheKey) async throws -> StoreOutcome {
        let estimate = EntryHeader.length + key.rawValue.utf8.count + entry.bytes.count
        // An entry is made in any case.
        return try await write(key, byteCount: estimate) { _ in entry } ?? refuseOverloaded()
    }

    /// Changes what is known about a stored entry, and counts it as stored now. Its bytes stay.
    ///
    /// The metadata stands before the body in the entry's file, and a file never changes after it has its name. So the
    /// entry is verified, written again and renamed. Readers see the earlier entry until then, and a crash leaves one
    /// of the two.
    ///
    /// - Parameters:
    ///   - key: The key of the entry.
    ///   - generation: An entry with another content is left alone; `nil` stands for any content.
    ///   - change: Changes the metadata, on a thread of the cache. Its `storedAt` and `generation` are set by the
    ///     cache.
    /// - Returns: Whether the change was stored, or why not; `nil` when no entry with this content is stored.
    /// - Throws: `CancellationError` only, and then nothing was changed.
    /// - Complexity: A read and a store.
    @discardableResult
    public func renew(
        _ key: CacheKey, ifContentIs generation: ContentGeneration?,
        _ change: @escaping @Sendable (inout EntryMetadata) -> Void
    ) async throws -> StoreOutcome? {
        let limit = fileSizeLimit
        return try await write(key) { files throws(SystemFailure) in
            guard
                case .entry(var entry, _) = try files.read(
                    key, KeyDigest(of: key), fileSizeLimit: limit, withBody: true),
                generation == nil || entry.metadata.generation == generation
            else { return nil }
            change(&entry.metadata)
            return entry
        }
    }

    /// What a write ended with.
    private enum Written {
        /// A file of this size.
        case file(Int, EntryMetadata, FolderAccount.Foreign)
        /// There was nothing to write.
        case nothing
        case tooLarge
    }

    /// Writes an entry in the turn of its key, dated now.
    ///
    /// - Parameters:
    ///   - byteCount: What the entry needs, at least; `nil` for one that takes the place of its like.
    ///   - make: Makes the entry, on a thread; `nil` for none.
    /// - Returns: `nil` when nothing was made.
    private func write(
        _ key: CacheKey, byteCount: Int? = nil,
        _ make: @escaping @Sendable (EntryFiles) throws(SystemFailure) -> DiskEntry?
    ) async throws -> StoreOutcome? {
        guard try begin() else { return refuse(.shutDown, "The cache was shut down. Nothing is stored any more.") }
        defer { end() }
        guard byteCount ?? 0 <= fileSizeLimit else { return refuseTooLarge() }
        guard !isBackingOff else { return refuse(.diskFull, "The disk was full a moment ago. Free space.") }

        let digest = KeyDigest(of: key)
        try await takeTurn(digest)
        defer { passTurn(digest) }
        pendingBytes += byteCount ?? 0
        defer { pendingBytes -= byteCount ?? 0 }
        if let byteCount { await makeRoom(for: byteCount) }

        let (account, free, limit, time) = (self.account, configuration.minimumFreeByteCount, fileSizeLimit, now)
        let result = try await attempt { files throws(SystemFailure) -> Written in
            if let byteCount, !files.hasRoom(for: byteCount, leaving: free) { throw .full }
            guard let entry = try make(files) else { return .nothing }
            var metadata = entry.metadata
            metadata.storedAt = time
            guard
                let front = EntryHeader.front(key: key, metadata: metadata, body: entry.bytes, filledUpTo: limit),
                front.count + entry.bytes.count <= limit
            else { return .tooLarge }
            let size = try files.write(front: front, body: entry.bytes, as: digest, storedAt: time)
            // Once the entry has its name, and before the store returns. Another cache may have removed its like.
            let found = account.add(byteCount == nil ? 1 : size)
            return .file(size, metadata, found)
        }
        switch result {
        case .success(.file(let size, let metadata, let found)):
            note(digest, size: size, storedAt: time, metadata)
            if byteCount != nil { counters.stores += 1 }
            warnings.recover(.writing)
            learn(found)
            return .stored
        case .success(.nothing): return nil
        case .success(.tooLarge): return refuseTooLarge()
        case .failure(let failure): return await refuse(failure)
        case nil: return refuseOverloaded()
        }
    }

    /// Removes the entry stored for `key`.
    ///
    /// Does nothing when there is none.
    ///
    /// - Throws: `CancellationError` only, and then nothing was removed.
    public func remove(_ key: CacheKey) async throws {
        guard try begin() else { return }
        defer { end() }
        try await removeWaitingForTurn(KeyDigest(of: key))
    }

    /// Removes the entry of an original, and every entry that was made of it.
    ///
    /// - Throws: `CancellationError` only. Some entries may be removed by then.
    /// - Complexity: Lists one of the 256 folders.
    public func removeAll(madeFrom original: CacheKey) async throws {
        guard try begin() else { return }
        defer { end() }
        let group = KeyDigest(of: original)
        let found = try await attempt { files throws(SystemFailure) in
            try files.list(group.folder).map(\.digest).filter { $0.isOfSameOriginal(as: group) }
        }
        switch found {
        case .success(let digests): for digest in digests { try await removeWaitingForTurn(digest) }
        case .failure(let failure): warn(CacheError(failure, path: files.folder), during: .removing)
        case nil: break
        }
    }

    func removeWaitingForTurn(_ digest: KeyDigest) async throws {
        try await inTurn(of: digest, during: .removing) { files throws(SystemFailure) in
            try files.remove(digest)
        }
    }

    var isBackingOff: Bool { backOff?.contains(configuration.now()) ?? false }

    private func refuse(_ code: CacheError.Code, _ message: String) -> StoreOutcome {
        counters.refusals += 1
        return .notStored(CacheError(code: code, message: message, path: files.folder))
    }

    private func refuseOverloaded() -> StoreOutcome {
        refuse(.overloaded, "Too many operations wait for the disk. Store fewer entries at a time.")
    }

    private func refuseTooLarge() -> StoreOutcome {
        refuse(.tooLarge, "The entry is above \(fileSizeLimit) bytes, the most for one. Raise the size limit.")
    }

    /// Handles a failed write: one warning, and on a full disk one slice of room for later stores.
    private func refuse(_ failure: SystemFailure) async -> StoreOutcome {
        counters.refusals += 1
        let error = CacheError(failure, path: files.folder)
        warn(error, during: .writing)
        if failure.isFull {
            // A range, so that a clock that is set back does not lengthen the pause.
            let time = min(configuration.now(), .seconds(Int64.max))
            backOff = time..<(time + .seconds(1))
            _ = await trimSlice(toFree: max(pendingBytes, index.totalBytes / 20))
        }
        return .notStored(error)
    }
}

/// The result of a store.
public enum StoreOutcome: Sendable {
    /// The entry can be read from now on, also by other processes.
    case stored
    /// The entry was not kept, for this reason. The earlier entry may still be there.
    case notStored(CacheError)

    /// Whether the entry was kept.
    public var isStored: Bool {
        if case .stored = self { true } else { false }
    }

    /// Why the entry was not kept.
    public var error: CacheError? {
        if case .notStored(let error) = self { error } else { nil }
    }
}
